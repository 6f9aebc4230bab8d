//! Sessions of the engine `routed`: how they begin, what is submitted, what they report.

use ::board::AuthorId;
use ::study::tracing::{Asked, Follower, G, Message, Setup, Stage, Step, Tracing};
use ::trace::{
    Exposure,
    routed::{InputBox, RoutedEngine, Submission},
};
use algebra::Embed;
use getrandom::SysRng;
use rand_core::UnwrapErr;

use super::{
    begin::{InitArgs, Session, read_keys, submitted_already},
    report::{self, QueryLine, Report, Standing},
};
use crate::{failure::Failure, output::Output};

/// Begins a board.
pub fn init(args: &InitArgs, output: &Output) -> Result<(), Failure> {
    let identity = args.party.identity()?;
    let servers = read_keys(&args.servers)?;
    let setup = Setup {
        title: args.title.clone(),
        // A setup with more than 255 servers is refused.
        threshold: args.threshold.unwrap_or(servers.len() as u16),
        blocks: args.blocks,
        ballots: args.ballots,
        servers,
        senders: read_keys(&args.senders)?,
    };
    // What cannot be a session must not become a board.
    setup.rules(&[0; 32].into()).map_err(Failure::input)?;
    let genesis = Message::Setup(setup);
    let follower: Follower = args.board.begin(&args.party, &identity, &genesis)?;
    report::show_begun(&follower.id(), Standing::of::<RoutedEngine<G>>(), output);
    Ok(())
}

impl Session for Tracing {
    type InputBox = InputBox<G>;
    const CLOSE: Message = Message::Close;

    fn awaits_keys(&self) -> bool {
        matches!(self.stage(), Stage::Key(_))
    }

    fn inputs(&self) -> Option<&InputBox<G>> {
        match self.stage() {
            Stage::Open(inputs) => Some(inputs),
            _ => None,
        }
    }

    fn is_empty(inputs: &InputBox<G>) -> bool {
        inputs.is_empty()
    }

    fn senders(&self) -> &[AuthorId] {
        &self.setup().senders
    }

    fn seal(
        &self,
        inputs: &InputBox<G>,
        sender: &AuthorId,
        text: &str,
    ) -> Result<(u32, Message), Failure> {
        let number = inputs.next_number(sender.as_bytes());
        if number > self.rules().ballots() {
            return Err(submitted_already());
        }
        let blocks = blocks_of(text, self.rules().blocks())?;
        let (session, mut rng) = (inputs.session(), UnwrapErr(SysRng));
        let sealed = Submission::seal(session, sender.as_bytes(), number, &blocks, &mut rng);
        Ok((number, Message::Submission(sealed.map_err(Failure::input)?)))
    }

    fn is_opened(&self) -> bool {
        self.outputs().is_some()
    }

    fn exposure(&self) -> Option<(Exposure, &[u32])> {
        let class_of = self.outputs()?.class_of();
        Some((Exposure::of(self.docket().agreed(), class_of), class_of))
    }

    fn report(&self) -> Report<'_> {
        let line = |asked: &Asked| QueryLine {
            id: *asked.query.id(),
            direction: asked.query.direction(),
            step: step_name(&asked.step).to_owned(),
            failure: match &asked.step {
                Step::Failed(reason) => Some(reason.to_string()),
                _ => None,
            },
            complaints: asked.complaints.values().map(ToString::to_string).collect(),
        };
        Report {
            board: self.id(),
            title: &self.setup().title,
            standing: Standing::of::<RoutedEngine<G>>(),
            stage: stage_name(self.stage()),
            modulus: None,
            results: results(self),
            queries: self.docket().queries().iter().map(line).collect(),
            faults: self.faults(),
            left_out: &[],
        }
    }
}

fn stage_name(stage: &Stage) -> &'static str {
    match stage {
        Stage::Key(_) => "the servers make their key",
        Stage::Open(_) => "senders submit",
        Stage::Mixing(_) => "the servers mix",
        Stage::Decrypting(_) => "the servers decrypt",
        Stage::Ready(_) => "mixed and opened, every proof checked",
        Stage::Failed(_) => "failed",
    }
}

fn step_name(step: &Step) -> &'static str {
    match step {
        Step::Routing(_) => "markers on their way",
        Step::Blinding(..) => "sums are blinded",
        Step::Signing(..) => "servers sign",
        Step::Agreed(..) => "agreed, every proof checked",
        Step::Failed(_) => "failed",
    }
}

/// The results in output order.
fn results(state: &Tracing) -> Option<Vec<String>> {
    let text = |blocks: &Vec<G>| {
        let bytes: Option<Vec<Vec<u8>>> = blocks.iter().map(Embed::extract).collect();
        let bytes = bytes?.concat();
        let end = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
        let text = std::str::from_utf8(bytes.get(..end)?).ok()?;
        (!text.contains(char::is_control)).then(|| text.to_owned())
    };
    let readable = |blocks| text(blocks).unwrap_or_else(|| "(no text)".to_owned());
    state.outputs().map(|outputs| outputs.values().iter().map(readable).collect())
}

fn blocks_of(text: &str, blocks: usize) -> Result<Vec<G>, Failure> {
    let room = blocks * G::CAPACITY;
    if text.len() > room || text.bytes().last() == Some(0) {
        return Err(Failure::input(format!("a message has at most {room} bytes here")));
    }
    let mut padded = text.as_bytes().to_vec();
    padded.resize(room, 0);
    padded.chunks(G::CAPACITY).map(|block| G::embed(block).map_err(Failure::input)).collect()
}
