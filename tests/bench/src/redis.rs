//! One decision over Redis, beside the least that could be sent instead.

use crate::{
    Error,
    rounds::{Contender, Times, in_turns},
    table::{Goal, Ratio, Table},
    walk::Walk,
};
use ratelimit::{FailMode, Limit, Limiter};
use ratelimit_tests::RedisServer;
use redis::{
    Client, IntoConnectionInfo, Value,
    aio::{ConnectionManager, ConnectionManagerConfig},
    io::tcp::TcpSettings,
};
use std::{
    future::Future,
    time::{Duration, Instant},
};
use tokio::{runtime::Runtime, task::JoinSet};

const NOTES: [&str; 4] = [
    "A redis-server of its own on loopback, without persistence; it shares the cores with the client, nothing is pinned.",
    "Ours: a token bucket, nobody denied, inside its deadline. 1,000 users by chance, each key built for its call.",
    "The peers: a connection of the same kind and settings (ConnectionManager, TCP_NODELAY, long pipeline, no retries),",
    "and nothing around it: no deadline, no outage to notice, nothing of the answer understood.",
];

/// The least that a decision has to do on the server.
const BARE: &str = "local time = redis.call('TIME') \
    local was = redis.call('GET', KEYS[1]) \
    redis.call('SET', KEYS[1], time[1] .. time[2], 'PX', 60000) \
    return was";

const USERS: u32 = 1_000;

pub(crate) fn run(rounds: usize) -> Result<(), Error> {
    let server = RedisServer::start();
    let runtime = Runtime::new()?;
    let limiter = strict(&server)?;
    let limit = Limit::builder("checked").key("user").algo("token_bucket").rate("1/min").burst(100_000_000);
    let limit = limit.build()?;
    let connection = runtime.block_on(connect(&server.url()))?;
    let hash = {
        let mut connection = connection.clone();
        let mut load = redis::cmd("SCRIPT");
        load.arg("LOAD").arg(BARE);
        runtime.block_on(async move { load.query_async::<String>(&mut connection).await })?
    };

    let table = Table::begin("One decision over Redis", &NOTES, "tasks", Ratio::Rate);
    for (tasks, calls) in [(1, 400), (64, 100)] {
        let check = || {
            spread(&runtime, tasks, calls, |seed| {
                let (limiter, limit) = (limiter.clone(), limit.clone());
                async move {
                    let mut walk = Walk::by_chance(USERS, seed);
                    for _ in 0..calls {
                        limiter.check(&limit).part("user", walk.user()).await?;
                    }
                    Ok(())
                }
            })
        };
        let evalsha = || {
            spread(&runtime, tasks, calls, |seed| {
                let (mut connection, hash) = (connection.clone(), hash.clone());
                async move {
                    let mut walk = Walk::by_chance(USERS, seed);
                    for _ in 0..calls {
                        let mut command = redis::cmd("EVALSHA");
                        command.arg(&hash).arg(1).arg(format!("bare:{{{}}}:evalsha", walk.user()));
                        command.query_async::<Value>(&mut connection).await?;
                    }
                    Ok(())
                }
            })
        };
        let incr = || {
            spread(&runtime, tasks, calls, |seed| {
                let mut connection = connection.clone();
                async move {
                    let mut walk = Walk::by_chance(USERS, seed);
                    for _ in 0..calls {
                        let mut command = redis::cmd("INCR");
                        command.arg(format!("bare:{{{}}}:incr", walk.user()));
                        command.query_async::<Value>(&mut connection).await?;
                    }
                    Ok(())
                }
            })
        };
        let contenders = vec![
            Contender::new("Limiter::check", check),
            Contender::new("EVALSHA", evalsha),
            Contender::new("INCR", incr),
        ];
        print(&table, tasks, &in_turns(rounds, contenders)?);
    }
    Ok(())
}

/// A limiter over that server: neither the deadline nor a fail mode may turn a slow answer into a fast one, it has to be
/// an error.
pub(crate) fn strict(server: &RedisServer) -> Result<Limiter, Error> {
    let limiter = Limiter::builder().redis(server.url()).deadline(Duration::from_secs(10));
    Ok(limiter.fail(FailMode::Closed).build()?)
}

fn print(table: &Table, tasks: u32, times: &[Times]) {
    let [check, evalsha, incr] = times else { return };
    table.row(&tasks.to_string(), check, evalsha, (tasks == 64).then_some(Goal(0.9)));
    table.row(&tasks.to_string(), check, incr, None);
}

/// The connection that the store opens, without the store.
async fn connect(url: &str) -> Result<ConnectionManager, Error> {
    let info = url.into_connection_info()?.set_tcp_settings(TcpSettings::default().set_nodelay(true));
    let config = ConnectionManagerConfig::new()
        .set_number_of_retries(0)
        .set_connection_timeout(Some(Duration::from_secs(1)))
        .set_response_timeout(Some(Duration::from_millis(500)))
        .set_pipeline_buffer_size(4096);
    Ok(ConnectionManager::new_with_config(Client::open(info)?, config).await?)
}

/// Runs that many tasks with that many calls each, and says how long all together took for one.
pub(crate) fn spread<F>(
    runtime: &Runtime,
    tasks: u32,
    calls: u32,
    task: impl Fn(u32) -> F,
) -> Result<f64, Error>
where
    F: Future<Output = Result<(), Error>> + Send + 'static,
{
    runtime.block_on(async {
        let start = Instant::now();
        let mut running: JoinSet<_> = JoinSet::new();
        for seed in 1..=tasks {
            running.spawn(task(seed));
        }
        while let Some(done) = running.join_next().await {
            done??;
        }
        Ok(start.elapsed().as_secs_f64() / f64::from(tasks * calls))
    })
}
