//! Two processes call the limits of a cluster while faults come and go: `cargo run --release -p ratelimit-tests --bin soak
//! -- MINUTES [SEED]`, 30 minutes without.
//!
//! Ends with an error if more passed than the limits allow, or if memory or tasks of a process grew.
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::cast_precision_loss,
    reason = "what it finds is its output, and it fails loudly"
)]

use ratelimit_tests::{
    Cluster,
    soak::{Auditor, now_us},
};
use std::{
    io::{BufRead as _, BufReader},
    process::{Child, Command, ExitCode, Stdio},
    sync::mpsc::{Receiver, Sender, channel},
    time::{Duration, Instant},
};

/// What a process says of itself every few seconds.
#[derive(Clone, Copy, Debug, Default)]
struct Health {
    resident_kb: u64,
    tasks: u64,
    denied: u64,
    unanswered: u64,
}

enum Said {
    Admitted { key: String, sent: u64, received: u64 },
    Health(usize, Health),
}

/// What is done to a server. All but the last leave it what it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    Pause(Duration),
    ScriptsFlushed,
    ConnectionsKilled,
    OutOfMemory(Duration),
    SlotMoved,
    Killed,
}

const PROCESSES: usize = 2;
/// Connections open, scripts are loaded, tables have grown to what they need.
const WARM_UP: Duration = Duration::from_secs(60);

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1).map(|argument| argument.parse::<u64>().unwrap());
    let minutes = arguments.next().unwrap_or(30);
    let seed = arguments.next().unwrap_or_else(|| fastrand::u64(..1_000_000));
    println!("{minutes} minutes, seed {seed}");
    let mut random = fastrand::Rng::with_seed(seed);
    let mut cluster = Cluster::start(3, false);
    let (sender, said) = channel();
    let mut clients: Vec<Child> =
        (0..PROCESSES).map(|number| client(&cluster.url(), number, sender.clone())).collect();

    let mut auditor = Auditor::default();
    let (mut healths, mut warm) = ([Health::default(); PROCESSES], None);
    let mut faults: Vec<(&str, u32)> = Vec::new();
    let started = Instant::now();
    let mut told = 0;
    while started.elapsed() < Duration::from_secs(minutes * 60) {
        listen(&said, &mut auditor, &mut healths, Duration::from_millis(random.u64(500..4_000)));
        let fault = choose(&mut random);
        match faults.iter_mut().find(|(name, _)| *name == fault.name()) {
            Some((_, count)) => *count += 1,
            None => faults.push((fault.name(), 1)),
        }
        inflict(fault, &mut cluster, &mut random, &mut auditor);
        auditor.judge(now_us());
        if warm.is_none() && started.elapsed() > WARM_UP {
            warm = Some(healths);
        }
        if started.elapsed().as_secs() / 60 > told {
            told += 1;
            println!("minute {told}: {} admitted, {} wrong, {healths:?}", auditor.total, auditor.wrong.len());
        }
        if clients.iter_mut().any(|client| !matches!(client.try_wait(), Ok(None))) {
            println!("a client has ended");
            return ExitCode::FAILURE;
        }
    }
    for client in &mut clients {
        let _ = client.kill();
        let _ = client.wait();
    }
    listen(&said, &mut auditor, &mut healths, Duration::from_secs(1));
    auditor.judge(now_us() + 60_000_000);
    report(&auditor, &faults, warm, healths)
}

fn report(
    auditor: &Auditor,
    faults: &[(&str, u32)],
    warm: Option<[Health; PROCESSES]>,
    healths: [Health; PROCESSES],
) -> ExitCode {
    println!("| fault | times |\n|---|---|");
    for (name, times) in faults {
        println!("| {name} | {times} |");
    }
    println!(
        "{} calls admitted, fullest window {} of {}",
        auditor.total,
        auditor.fullest,
        ratelimit_tests::soak::LIMIT
    );
    for wrong in auditor.wrong.iter().take(20) {
        println!("WRONG {wrong}");
    }
    let mut is_well = auditor.wrong.is_empty() && auditor.total > 0;
    for (warm, last) in warm.into_iter().flatten().zip(healths) {
        println!(
            "process: {} kB and {} tasks after a minute, {} kB and {} tasks at the end; {} denied, {} unanswered",
            warm.resident_kb, warm.tasks, last.resident_kb, last.tasks, last.denied, last.unanswered
        );
        let grew = last.resident_kb as f64 / warm.resident_kb.max(1) as f64;
        if grew > 1.25 || last.tasks > warm.tasks + 16 {
            println!("WRONG it grew: memory by {grew:.2}, tasks from {} to {}", warm.tasks, last.tasks);
            is_well = false;
        }
    }
    if is_well { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn client(url: &str, number: usize, said: Sender<Said>) -> Child {
    let program = std::env::current_exe().unwrap().with_file_name("soaker");
    let mut client = Command::new(program).arg(url).stdout(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(client.stdout.take().unwrap()).lines();
    std::thread::spawn(move || {
        for line in lines.map_while(Result::ok) {
            let words: Vec<&str> = line.split(' ').collect();
            let number_at = |at: usize| words[at].parse().unwrap_or(0);
            let heard = match words[0] {
                "a" => {
                    Said::Admitted { key: words[1].to_owned(), sent: number_at(2), received: number_at(3) }
                }
                _ => Said::Health(
                    number,
                    Health {
                        resident_kb: number_at(1),
                        tasks: number_at(2),
                        denied: number_at(3),
                        unanswered: number_at(4),
                    },
                ),
            };
            if said.send(heard).is_err() {
                return;
            }
        }
    });
    client
}

/// Hears what the clients say for so long.
fn listen(
    said: &Receiver<Said>,
    auditor: &mut Auditor,
    healths: &mut [Health; PROCESSES],
    duration: Duration,
) {
    let end = Instant::now() + duration;
    while let Ok(heard) = said.recv_timeout(end.saturating_duration_since(Instant::now())) {
        match heard {
            Said::Admitted { key, sent, received } => auditor.admit(&key, sent, received),
            Said::Health(client, health) => healths[client] = health,
        }
    }
}

fn choose(random: &mut fastrand::Rng) -> Fault {
    match random.u32(..12) {
        0..3 => Fault::Pause(Duration::from_millis(random.u64(20..3_000))),
        3..5 => Fault::ScriptsFlushed,
        5..7 => Fault::ConnectionsKilled,
        7..8 => Fault::OutOfMemory(Duration::from_millis(random.u64(100..1_000))),
        8..10 => Fault::SlotMoved,
        _ => Fault::Killed,
    }
}

impl Fault {
    const fn name(self) -> &'static str {
        match self {
            Fault::Pause(_) => "SIGSTOP, up to 3 s",
            Fault::ScriptsFlushed => "SCRIPT FLUSH",
            Fault::ConnectionsKilled => "connections killed",
            Fault::OutOfMemory(_) => "maxmemory, up to 1 s",
            Fault::SlotMoved => "a slot moves",
            Fault::Killed => "kill -9, restarted empty",
        }
    }
}

fn inflict(fault: Fault, cluster: &mut Cluster, random: &mut fastrand::Rng, auditor: &mut Auditor) {
    let number = random.usize(..cluster.nodes.len());
    match fault {
        Fault::Pause(duration) => {
            cluster.nodes[number].pause();
            std::thread::sleep(duration);
            cluster.nodes[number].resume();
        }
        Fault::ScriptsFlushed => cluster.nodes[number].ask(redis::cmd("SCRIPT").arg("FLUSH")),
        Fault::ConnectionsKilled => {
            let _: i64 =
                cluster.nodes[number].ask(redis::cmd("CLIENT").arg("KILL").arg("TYPE").arg("NORMAL"));
        }
        Fault::OutOfMemory(duration) => {
            let limit = |bytes: &str| {
                cluster.nodes[number].ask::<()>(redis::cmd("CONFIG").arg("SET").arg("maxmemory").arg(bytes));
            };
            limit("1");
            std::thread::sleep(duration);
            limit("0");
        }
        Fault::SlotMoved => {
            let keys = cluster.keys();
            if let Some(key) = keys.get(random.usize(..keys.len().max(1))) {
                let slot = cluster.slot(key);
                let from = cluster.owner(slot);
                cluster.move_slot(slot, from, (from + 1) % 3);
            }
        }
        Fault::Killed => {
            let from = now_us();
            cluster.nodes[number].restart();
            cluster.wait_until_served();
            auditor.lose(from, now_us());
        }
    }
}
