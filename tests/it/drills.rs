//! Each fault under each fail mode: what is decided is what was promised, and all is well again within two seconds.

use ratelimit::FailMode;
use ratelimit_tests::drill::{Fault, RECOVERS_WITHIN, drill};

macro_rules! drills {
    ($($test:ident = $fault:ident),* $(,)?) => {$(
        #[tokio::test]
        async fn $test() {
            for mode in FailMode::ALL {
                let outcome = drill(Fault::$fault, *mode).await;
                assert!(outcome.wrong.is_empty(), "{mode:?}: {:?}", outcome.wrong);
                assert!(outcome.recovered <= RECOVERS_WITHIN, "{outcome:?}");
            }
        }
    )*};
}

drills! {
    killed_and_restarted_empty = Killed,
    stopped = Stopped,
    scripts_flushed_under_load = ScriptsFlushed,
    out_of_memory = OutOfMemory,
    command_forbidden = CommandForbidden,
    foreign_value = ForeignValue,
    replica_promoted_by_hand = Demoted,
    connections_refused = Down,
    reset_in_mid_reply = Reset,
    replies_swallowed = Swallowed,
    garbage_for_replies = Garbage,
    latency_of_20_ms = Late20ms,
    latency_of_200_ms = Late200ms,
    latency_of_2_s = Late2s,
}
