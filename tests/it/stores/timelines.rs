//! Every timeline, along which the model, memory and Redis have to go alike.

use ratelimit_tests::{Memory, Redis, RedisServer, model::Model, timeline::Timeline};
use std::{collections::BTreeSet, fs, path::Path};

async fn follow(name: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("timelines").join(format!("{name}.txt"));
    let timeline = Timeline::read(name, &fs::read_to_string(path).unwrap());
    let server = RedisServer::start();
    let mut redis = Redis::open(&server).await;
    for algorithm in timeline.algorithms() {
        timeline.run("the model", *algorithm, &mut Model::default()).await;
        timeline.run("memory", *algorithm, &mut Memory::new()).await;
        timeline.run("redis", *algorithm, &mut redis).await;
    }
}

macro_rules! timelines {
    ($($name:ident)*) => {
        const NAMES: &[&str] = &[$(stringify!($name)),*];
        $(
            #[tokio::test]
            async fn $name() {
                follow(stringify!($name)).await;
            }
        )*
    };
}

timelines! {
    all_or_nothing
    border_is_exact
    calls_of_one_tick
    clock_jitters
    clock_steps_back
    cost_above_capacity
    dollars_a_day
    fast_rates
    idle_for_long
    leak_is_steady
    log_across_the_border
    looking_takes_nothing
    microseconds_count
    once_a_day
    one_node_is_slow
    pause_of_a_sliding_window
    previous_window_weighs
    rule_changes
}

#[test]
fn every_timeline_is_followed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("timelines");
    let files = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let found: BTreeSet<_> =
        files.map(|file| file.file_stem().unwrap().to_str().unwrap().to_owned()).collect();
    assert_eq!(found, NAMES.iter().map(|name| (*name).to_owned()).collect());
}
