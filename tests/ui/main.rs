//! What the compiler says of a wrong limit, and that it says nothing of a right one.
//!
//! The cases in `ui/fail` hold one mistake each; beside them stands what rustc prints. On another rustc than the one
//! that wrote them set `TRYBUILD=overwrite` and read the difference.

#[test]
fn wrong_limits_do_not_compile_and_right_ones_do() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("ui/fail/*.rs");
    cases.pass("ui/pass/*.rs");
}
