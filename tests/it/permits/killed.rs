use super::{left, over, server, slots, tokens, until};
use std::{
    io::{BufRead as _, BufReader},
    process::{Command, Stdio},
};

#[tokio::test]
async fn slots_of_a_killed_process_come_back_after_the_lease_and_its_estimates_stay_charged() {
    let server = server();
    let limiter = over(server.url());
    let mut holder = Command::new(env!("CARGO_BIN_EXE_holder"))
        .args([server.url().as_str(), "10", "5"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(holder.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "holding\n");
    assert_eq!((left(&limiter, &slots()).await, left(&limiter, &tokens()).await), (0, 500));

    // While it lives it renews: twice the lease changes nothing.
    tokio::time::sleep(std::time::Duration::from_secs(4)).await;
    assert_eq!((left(&limiter, &slots()).await, left(&limiter, &tokens()).await), (0, 500));

    // SIGKILL: nothing of it runs any more. Other traffic keeps the key busy.
    holder.kill().unwrap();
    holder.wait().unwrap();
    let died = std::time::Instant::now();
    until("the slots are back", async || {
        if let Ok(busy) = limiter.check(&slots()).part("tenant", "acme").await {
            busy.settle(0).await;
        }
        left(&limiter, &slots()).await == 10
    })
    .await;
    assert!(died.elapsed() < std::time::Duration::from_secs(6), "{:?}", died.elapsed());
    assert_eq!(left(&limiter, &tokens()).await, 500);
}
