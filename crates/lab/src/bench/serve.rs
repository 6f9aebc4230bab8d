//! `subrosa-lab bench serve`: a table's server, a process of its own, under the load of many users.

use std::{
    io::{BufRead as _, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::Duration,
};

use ::client::{
    Client, Options,
    api::{self, Field, RowFields},
    load::{Borne, Load},
};
use ::services::{
    folder::{Folder, Plan},
    tables,
};
use ::table::{Hash, Schema};
use cli::{
    failure::Failure,
    now,
    output::{self, Output},
    progress::Bars,
};
use serde::Serialize;
use serde_json::{Value, json};
use sysinfo::{Pid, ProcessesToUpdate, System};
use wire::Progress as _;

use super::recorder::{Recorder, Sample};

const SCHEMA: &str = r#"
table = "load"
key_period = 1
seal_deadline = 86400
types = [{ name = "role", kind = { enum = ["nurse", "engineer"] } }]
values = [
    { name = "wage", unit = "EUR", scale = 2, min = 0, max = 100000, moments = 2, ordered = true },
]
policy = { min_count = 1 }
"#;
/// The rate at which one client may ask is not what is measured.
const LIMITS: &str = "[limits]\nrequests_per_second = 1000000\nburst = 1000000\n";
const EPOCH: u32 = 1;
const BATCH: u32 = 1000;
/// Between two looks at an epoch that is being sealed.
const STEP: Duration = Duration::from_millis(50);
/// For which users' tokens hold, beyond the time of the load.
const HOUR: u64 = 3600;

/// Options of `server`: what is under load, `subrosa table serve` in a process of its own.
#[derive(Debug, clap::Args)]
pub struct ServerArgs {
    /// The server's configuration file.
    pub config: PathBuf,
}

/// Options of `serve`.
#[derive(Debug, clap::Args, Serialize)]
pub struct Args {
    /// How many users ask at the same time, each for its own row.
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    clients: u32,
    /// How long the users go on asking.
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=86_400))]
    seconds: u32,
    /// Rows of the epoch; at least one for each user.
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    rows: u32,
    /// The pause between an answer and the same user's next request.
    #[arg(long, value_name = "MILLISECONDS", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(0..=60_000))]
    pause: u32,
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    if args.rows < args.clients {
        return Err(Failure::input("every user needs a row: `--rows` is at least `--clients`"));
    }
    let (bars, mut recorder) = (Bars::new(), Recorder::new());
    let directory = tempfile::tempdir()?;
    let server = Server::start(directory.path())?;
    let tokens = fill(&server, args, &mut recorder, &bars)?;
    let time = Duration::from_secs(args.seconds.into());
    let load = Load { epoch: EPOCH, time, pause: Duration::from_millis(args.pause.into()) };
    bars.begin("look-ups", 1);
    let id = server.process.id();
    let before = memory(id);
    let half = thread::spawn(move || {
        thread::sleep(time / 2);
        memory(id)
    });
    let borne = load.run(&Options::new(&server.url, &server.table.to_string()), &tokens)?;
    let after = memory(id);
    // A thread that failed tells as little as a system that does not tell.
    let half = half.join().unwrap_or_default();
    bars.finish();
    point(&mut recorder, &borne, [before, half, after]);
    recorder.report("serve", args, output);
    match borne.reason {
        None => Ok(()),
        Some(reason) => {
            let requests = output::counted(borne.errors, "request", "requests");
            Err(Failure::refused(format!("{requests} failed: {reason}")))
        }
    }
}

/// Rows, a sealed epoch, and the tokens of the users who will ask.
fn fill(
    server: &Server,
    args: &Args,
    recorder: &mut Recorder,
    bars: &Bars,
) -> Result<Vec<String>, Failure> {
    let mut custodian = server.client(&server.token)?;
    bars.begin("rows", args.rows.into());
    let (stored, sample) = Sample::of(|| {
        for start in (0..args.rows).step_by(BATCH as usize) {
            let end = args.rows.min(start + BATCH);
            let rows = (start..end).map(fields).collect();
            custodian.ingest(EPOCH, rows, &format!("rows-{start}"), now()?)?;
            bars.advance((end - start).into());
        }
        Ok::<(), Failure>(())
    });
    stored?;
    recorder.row("rows", args.rows.into(), &[sample]);
    bars.begin("sealing", 1);
    let (sealed, sample) = Sample::of(|| custodian.seal(EPOCH, STEP));
    sealed?;
    recorder.row("seal", args.rows.into(), &[sample]);
    bars.begin("tokens", args.clients.into());
    let seconds = (HOUR + u64::from(args.seconds)) as u32;
    let token = |index| {
        bars.advance(1);
        Ok(custodian.token(&user(index), seconds)?.token.clone())
    };
    let tokens: Vec<String> = (0..args.clients).map(token).collect::<Result<_, Failure>>()?;
    // What is measured holds: verified once.
    if let Some(first) = tokens.first() {
        let mut client = server.client(first)?;
        let keys = client.keys(user(0).as_bytes(), EPOCH)?;
        let row = api::row_of(client.table().schema(), &fields(0)).map_err(Failure::input)?;
        client.lookup(&keys, &row, EPOCH)?;
    }
    Ok(tokens)
}

fn user(index: u32) -> String {
    format!("person {index}")
}

fn fields(index: u32) -> RowFields {
    let role = if index.is_multiple_of(4) { "engineer" } else { "nurse" };
    let wage = 100 + u64::from(index) * 7919 % 900;
    [("user", user(index)), ("role", role.to_owned()), ("wage", wage.to_string())]
        .map(|(name, text)| (name.to_owned(), Field::Text(text)))
        .into()
}

/// One line: times in milliseconds, memory of the server in bytes.
fn point(recorder: &mut Recorder, borne: &Borne, memory: [Option<u64>; 3]) {
    let ms = |percent| {
        let time = borne.percentile(percent).as_secs_f64() * 1000.0;
        Value::from((time * 1000.0).round() / 1000.0)
    };
    let rate = borne.answers() as f64 / borne.elapsed.as_secs_f64().max(f64::EPSILON);
    let [before, half, after] = memory;
    recorder.point(vec![
        ("answers", borne.answers().into()),
        ("errors", borne.errors.into()),
        ("per_second", Value::from((rate * 10.0).round() / 10.0)),
        ("p50_ms", ms(50)),
        ("p95_ms", ms(95)),
        ("p99_ms", ms(99)),
        ("most_ms", ms(100)),
        ("rss_start", json!(before)),
        ("rss_half", json!(half)),
        ("rss_end", json!(after)),
    ]);
}

/// Bytes of memory that a process has; `None` where the system does not tell.
fn memory(id: u32) -> Option<u64> {
    let (id, mut system) = (Pid::from_u32(id), System::new());
    system.refresh_processes(ProcessesToUpdate::Some(&[id]), true);
    system.process(id).map(sysinfo::Process::memory)
}

/// This program as a server of one table, until it is dropped.
struct Server {
    process: Child,
    url: String,
    table: Hash,
    /// The custodian's.
    token: String,
}

impl Server {
    fn start(directory: &Path) -> Result<Self, Failure> {
        let (tables, config) = (directory.join("tables"), directory.join("server.toml"));
        std::fs::create_dir(&tables)?;
        let schema: Schema = toml::from_str(SCHEMA).map_err(Failure::input)?;
        let plan = Plan {
            schema,
            first_epoch: EPOCH,
            witnesses: vec![],
            quorum: 0,
            dishonest: 0,
            auditors: vec![],
            continues: None,
        };
        let table = *Folder::new(&tables.join("load")).make(plan)?.table().id();
        let drawn = tables::draw_role_token();
        let client = format!(
            "[[client]]\nname = \"bench\"\nroles = [\"custodian\", \"feeder\", \"registrar\"]\ntoken_hash = \"{}\"\n",
            drawn.hash
        );
        let text = format!("listen = \"127.0.0.1:0\"\ntables = \"tables\"\n{LIMITS}{client}");
        std::fs::write(&config, text)?;
        let mut process = Command::new(std::env::current_exe()?)
            .args(["--json", "bench", "server"])
            .arg(&config)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()?;
        let out = process.stdout.take();
        let (url, token) = (String::new(), drawn.token.to_string());
        // From here on the process ends with this value.
        let mut server = Self { process, url, table, token };
        let mut line = String::new();
        if let Some(out) = out {
            BufReader::new(out).read_line(&mut line)?;
        }
        // What is no JSON has no address, and is refused for that below.
        let said: Value = serde_json::from_str(&line).unwrap_or_default();
        let url = said.get("listening").and_then(Value::as_str);
        server.url = url.ok_or_else(|| Failure::input("the server does not start"))?.to_owned();
        Ok(server)
    }

    fn client(&self, token: &str) -> Result<Client, Failure> {
        let options = Options::new(&self.url, &self.table.to_string()).with_token(token);
        Ok(Client::connect(&options, &self.table)?)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
