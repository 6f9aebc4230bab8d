//! A traceable mix with its servers as processes: a query end to end, a server killed and started
//! again, a policy that refuses, an answer that anybody verifies.

use std::{
    fs,
    path::Path,
    process::{Child, Stdio},
    time::Duration,
};

use crate::common::{fail, subrosa, succeed};

const SERVERS: usize = 3;
const MESSAGES: [&str; 8] = ["soup", "salad", "soup", "stew", "rice", "fish", "pie", "cake"];

fn keygen(directory: &Path, name: &str) -> String {
    let file = format!("{name}.key");
    succeed(directory, &["trace", "keygen", "--key", &file]).trim().to_owned()
}

fn serve(directory: &Path, server: usize) -> Child {
    let (key, journal) = (format!("server-{server}.key"), format!("journal-{server}"));
    subrosa(
        directory,
        &["trace", "serve", "--board", "board", "--key", &key, "--policy", "policy.toml"],
    )
    .args(["--journal", &journal])
    .stdout(Stdio::null())
    .spawn()
    .expect("the program starts")
}

/// Ends the servers that the test started, however it ends.
struct Crew(Vec<Child>);

impl Drop for Crew {
    fn drop(&mut self) {
        for child in &mut self.0 {
            child.kill().ok();
            child.wait().ok();
        }
    }
}

#[test]
fn servers_answer_a_querier_and_survive_being_killed() {
    let temporary = tempfile::tempdir().expect("a directory");
    let root = temporary.path();
    let write = |name: &str, text: &str| fs::write(root.join(name), text).expect("a file");
    keygen(root, "operator");
    let querier = keygen(root, "querier");
    let servers: Vec<_> =
        (1..=SERVERS).map(|server| keygen(root, &format!("server-{server}"))).collect();
    let senders: Vec<_> =
        (1..=MESSAGES.len()).map(|sender| keygen(root, &format!("sender-{sender}"))).collect();
    write("servers", &servers.join("\n"));
    write("senders", &senders.join("\n"));
    let limits = "max_questions = 2\ncut = \"inputs\"\nmin_rows = 2\nmin_values = 2\ncoalition = 1";
    write("policy.toml", &format!("queriers = [\"{querier}\"]\n{limits}\n"));
    let board = ["--board", "board"];
    let with = |arguments: &[&str]| -> Vec<String> {
        arguments.iter().chain(&board).map(|argument| (*argument).to_owned()).collect()
    };
    let run = |arguments: &[&str]| {
        let arguments = with(arguments);
        succeed(root, &arguments.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let init = ["trace", "init", "--key", "operator.key", "--title", "Lunch"];
    let names = ["--servers", "servers", "--senders", "senders"];
    let begun = run(&[init.as_slice(), &names].concat());
    assert!(begun.contains("our construction, no published proof yet"), "{begun}");

    let mut crew = Crew((1..=SERVERS).map(|server| serve(root, server)).collect());
    for (sender, message) in (1..).zip(MESSAGES) {
        let key = format!("sender-{sender}.key");
        run(&["trace", "submit", "--key", &key, "--text", message]);
    }
    let mixed = run(&["trace", "mix", "--key", "operator.key"]);
    assert_eq!(mixed.matches("soup").count(), 2, "{mixed}");

    // Server 2 is killed, a query waits for it, and it goes on where it was.
    crew.0[1].kill().expect("the server ends");
    crew.0[1].wait().expect("the server ends");
    let query = ["trace", "query", "out", "--key", "querier.key", "--outputs", "all"];
    let published = ["--inputs", "0-3", "--bundle", "bundle", "--json"];
    let asking = subrosa(
        root,
        &with(&[query.as_slice(), &published].concat())
            .iter()
            .map(String::as_str)
            .collect::<Vec<_>>(),
    )
    .stdout(Stdio::piped())
    .spawn()
    .expect("the program starts");
    std::thread::sleep(Duration::from_millis(500));
    crew.0[1] = serve(root, 2);
    let answered = asking.wait_with_output().expect("the query ends");
    let answered = String::from_utf8(answered.stdout).expect("text");
    // Inputs 0 to 3 say these: by value, all outputs that do come from them, and nothing else does.
    let own: Vec<_> = mixed
        .lines()
        .filter(|line| MESSAGES[..4].iter().any(|text| line.ends_with(&format!("  {text}"))))
        .map(|line| line.split_whitespace().next().expect("a row"))
        .collect();
    assert!(answered.contains(&format!("\"yes\":[{}]", own.join(","))), "{answered}");

    // A querier that was killed reads it again; nobody else does.
    let id = answered.split("\"query\":\"").nth(1).and_then(|rest| rest.split('"').next());
    let again = ["trace", "query", "read", "--query", id.expect("the query's name"), "--key"];
    let read = run(&[again.as_slice(), &["querier.key"]].concat());
    assert!(read.contains("yes        4"), "{read}");
    assert!(
        read.contains("a no: the result comes from none of the submissions asked about"),
        "{read}"
    );
    let another = with(&[again.as_slice(), &["sender-1.key"]].concat());
    let another: Vec<_> = another.iter().map(String::as_str).collect();
    fail(root, &another, 2, "another querier");

    let verified = succeed(root, &["verify", "bundle"]);
    // The bundle names its board, and is about no other.
    let name = begun.lines().find_map(|line| line.strip_prefix("board ")).expect("a board");
    assert!(verified.contains(&format!("board {name}, its ")), "{verified}");
    succeed(root, &["verify", "bundle", "--expect-board", name]);
    let other = "0".repeat(64);
    let expecting = ["verify", "bundle", "--expect-board", &other];
    fail(root, &expecting, 1, "and not the expected one");
    assert!(verified.contains("BTraceOut by value"), "{verified}");
    assert!(verified.contains("our construction, no published proof yet"), "{verified}");
    // With which results an input is would be crossed with that; that it is with any is no news.
    let inside = ["trace", "query", "in", "--key", "querier.key", "--inputs", "1-3", "--outputs"];
    let crossing = with(&[inside.as_slice(), &["0-3"]].concat());
    let crossing: Vec<_> = crossing.iter().map(String::as_str).collect();
    fail(root, &crossing, 5, "of this mix only inputs are");
    let constant = run(&[inside.as_slice(), &["all"]].concat());
    assert!(constant.contains("yes        3  1-3"), "{constant}");

    // The policy: no third question, and none of a stranger.
    let refused = |key: &str, why: &str| {
        let query = ["trace", "query", "in", "--key", key, "--inputs", "0", "--outputs", "all"];
        let arguments = with(&query);
        let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
        fail(root, &arguments, 5, why);
    };
    refused("querier.key", "over the limit of questions, 2");
    refused("sender-1.key", "may not ask");
    let report = run(&["trace", "exposure"]);
    assert!(report.contains("2 questions answered about 8 rows, of which 1"), "{report}");
    assert!(report.contains("divided into 2 cells"), "{report}");
    assert!(report.contains("among only 4 rows, with 3 values"), "{report}");
    assert!(report.contains("outputs: nothing is revealed"), "{report}");
    let all = run(&["trace", "verify"]);
    assert!(all.contains("refused by server 3") || all.contains("refused by server 1"), "{all}");
}
