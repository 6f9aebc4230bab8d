//! Sessions of the engine `db`: how they begin, what is submitted, what they report.

use ::board::AuthorId;
use ::study::tracing::db::{
    DbFollower, DbMessage, DbQuery, DbSetup, DbStage, DbTracing, TEXT_BYTES, text_of, value_of,
};
use ::trace::Exposure;
use getrandom::SysRng;
use rand_core::UnwrapErr;
use trace_db::{
    DbEngine, InputBox, KeyMaking, Submission,
    paillier::{ModulusSize, bcp::Parameters},
};

use super::{
    super::{
        begin::{InitArgs, Session, read_keys, submitted_already},
        names::Keys,
        report::{self, QueryLine, Report, Standing},
    },
    begin::DbArgs,
};
use crate::{failure::Failure, output::Output};

/// Begins a board.
pub fn init(args: &InitArgs, output: &Output) -> Result<(), Failure> {
    let identity = args.party.identity()?;
    let servers = read_keys(&args.servers)?;
    let all = args.threshold.is_none_or(|threshold| usize::from(threshold) == servers.len());
    if !all || (args.blocks, args.ballots) != (1, 1) {
        return Err(Failure::input(
            "with the engine `db`, all servers decrypt and a sender submits one value, once",
        )
        .hint("leave out --threshold, --blocks and --ballots"));
    }
    let DbArgs { paillier, keys, dealer } = &args.db;
    let failed = |error| Failure::input(format!("Paillier parameters: {error}"));
    let keys = match (keys, paillier.size()) {
        (Keys::Dealer, size) => KeyMaking::Dealer(size),
        (Keys::Bcp, ModulusSize::Bits2048) => {
            KeyMaking::Servers(Box::new(Parameters::rsa_2048().map_err(failed)?))
        }
        (Keys::Bcp, size) => {
            output.done("operator", "drawing a modulus; this can take some minutes");
            let parameters = Parameters::generate(size, &mut UnwrapErr(SysRng));
            KeyMaking::Servers(Box::new(parameters.map_err(failed)?))
        }
    };
    let senders = read_keys(&args.senders)?;
    let setup = DbSetup { title: args.title.clone(), keys, dealer: *dealer, servers, senders };
    // What cannot be a session must not become a board.
    setup.rules(&[0; 32].into()).map_err(Failure::input)?;
    let genesis = DbMessage::Setup(setup);
    let follower: DbFollower = args.board.begin(&args.party, &identity, &genesis)?;
    report::show_begun(&follower.id(), Standing::of::<DbEngine>(), output);
    Ok(())
}

impl Session for DbTracing {
    type InputBox = InputBox;
    const CLOSE: DbMessage = DbMessage::Close;

    fn awaits_keys(&self) -> bool {
        matches!(self.stage(), DbStage::Key(_))
    }

    fn inputs(&self) -> Option<&InputBox> {
        match self.stage() {
            DbStage::Open(inputs) => Some(inputs),
            _ => None,
        }
    }

    fn is_empty(inputs: &InputBox) -> bool {
        inputs.is_empty()
    }

    fn senders(&self) -> &[AuthorId] {
        &self.setup().senders
    }

    fn seal(
        &self,
        inputs: &InputBox,
        sender: &AuthorId,
        text: &str,
    ) -> Result<(u32, DbMessage), Failure> {
        if inputs.has(sender.as_bytes()) {
            return Err(submitted_already());
        }
        let too_long = || Failure::input(format!("a message has at most {TEXT_BYTES} bytes here"));
        let value = value_of(text).ok_or_else(too_long)?;
        let (session, mut rng) = (inputs.session(), UnwrapErr(SysRng));
        // Without tables encryption takes constant time.
        let key = session.paillier().without_tables();
        let sealed = Submission::seal(session, &key, sender.as_bytes(), &value, &mut rng);
        Ok((1, DbMessage::Submission(Box::new(sealed.map_err(Failure::input)?))))
    }

    fn is_opened(&self) -> bool {
        self.outputs().is_some()
    }

    fn exposure(&self) -> Option<(Exposure, &[u32])> {
        let class_of = self.outputs()?.class_of();
        Some((Exposure::of(self.agreed(), class_of), class_of))
    }

    fn report(&self) -> Report<'_> {
        let readable = |value| text_of(value).unwrap_or_else(|| "(no text)".to_owned());
        let line = |DbQuery { query, asked }: &DbQuery| {
            let (step, failure) = match asked {
                Ok(asked) if asked.is_answered() => ("answered, every proof checked".into(), None),
                Ok(asked) => (format!("waits for: {}", asked.step()), None),
                Err(reason) => ("failed".into(), Some(reason.to_string())),
            };
            let (id, direction) = (*query.id(), query.direction());
            QueryLine { id, direction, step, failure, complaints: Vec::new() }
        };
        Report {
            board: self.id(),
            title: &self.setup().title,
            standing: Standing::of::<DbEngine>(),
            stage: match self.stage() {
                DbStage::Key(_) => "the servers make their keys",
                DbStage::Open(_) => "senders submit",
                DbStage::Mixing(_) => "the servers mix",
                DbStage::Decrypting(_) => "the servers decrypt",
                DbStage::Ready(_) => "mixed and opened, every proof checked",
                DbStage::Failed(_) => "failed",
            },
            modulus: self.session().map(|session| session.modulus()),
            results: self.outputs().map(|outputs| outputs.values().iter().map(readable).collect()),
            queries: self.queries().iter().map(line).collect(),
            faults: self.faults(),
            left_out: self.dropped(),
        }
    }
}
