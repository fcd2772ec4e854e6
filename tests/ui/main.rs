//! What the compiler says of a wrong limit, and that it says nothing of a right one.
//!
//! The cases in `ui/fail` hold one mistake each; beside them stands what the rustc prints that `ui/rustc` names. Another one
//! uses other words for what it adds to ours, so there only our sentences and their places are compared. Who moves to it
//! sets `TRYBUILD=overwrite` and reads the difference.

#![allow(clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails loudly")]

mod cases;
mod elsewhere;
mod run_time;
mod sentences;

#[test]
fn wrong_limits_do_not_compile_and_right_ones_do() {
    let cases = trybuild::TestCases::new();
    if elsewhere::is_another_rustc() {
        elsewhere::compare();
    } else {
        cases.compile_fail("ui/fail/*.rs");
    }
    cases.pass("ui/pass/*.rs");
}
