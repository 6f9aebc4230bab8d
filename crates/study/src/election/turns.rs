//! Whose turn it is to mix.

use std::collections::VecDeque;

use super::{MAX_PARTS, MixHeader, MixPart, PART_BYTES, Rule, Rules};

/// The mixers who are to mix, the first of them now. In version 2 who was absent mixes last: when nobody else is
/// left and more mixes are needed, or when it comes back before.
pub(super) struct Turns {
    rules: Rules,
    queue: VecDeque<u16>,
    absent: VecDeque<u16>,
    /// Turns that began.
    number: u32,
    gathering: Option<Gathering>,
}

/// A mix that was announced, as far as its parts are there.
struct Gathering {
    header: MixHeader,
    parts: u32,
    bytes: Vec<u8>,
}

impl Gathering {
    fn is_whole(&self) -> bool {
        MixHeader::of(self.header.turn, &self.bytes) == self.header
    }
}

impl Turns {
    /// The first turn of these mixers.
    pub(super) fn new(rules: Rules, mixers: u16) -> Self {
        let queue = (1..=mixers).collect();
        Self { rules, queue, absent: VecDeque::new(), number: 1, gathering: None }
    }

    /// Who mixes now.
    pub(super) fn mixer(&self) -> Option<u16> {
        self.queue.front().copied()
    }

    /// The number of the turn, from 1: what a mixer says in one turn means nothing in another.
    pub(super) fn number(&self) -> u32 {
        self.number
    }

    /// Whether a mixer was absent in its turn, and does not wait for another one.
    pub(super) fn is_absent(&self, mixer: u16) -> bool {
        self.absent.contains(&mixer)
    }

    /// The turn ended with an answer, right or wrong.
    pub(super) fn answered(&mut self) {
        self.queue.pop_front();
        self.begin_next();
    }

    /// The turn ended without an answer.
    pub(super) fn passed(&mut self) {
        let mixer = self.queue.pop_front();
        if self.rules != Rules::One && Rule::ComesBack.is_kept() {
            self.absent.extend(mixer);
        }
        self.begin_next();
    }

    /// A mixer that was absent comes last of those who are to mix.
    pub(super) fn back(&mut self, mixer: u16) {
        self.absent.retain(|absent| *absent != mixer);
        self.queue.push_back(mixer);
    }

    /// Those who were absent are all asked again, in the order of their turns: without them there is no result.
    pub(super) fn ask_again(&mut self) {
        self.queue.append(&mut self.absent);
    }

    fn begin_next(&mut self) {
        self.number = self.number.saturating_add(1);
        self.gathering = None;
    }

    /// The part that is due, from 0, once a mix is announced.
    pub(super) fn due(&self) -> Option<u32> {
        self.gathering.as_ref().map(|gathering| gathering.parts)
    }

    /// Bytes of the announced mix that are there.
    pub(super) fn gathered(&self) -> usize {
        self.gathering.as_ref().map_or(0, |gathering| gathering.bytes.len())
    }

    /// Takes the announcement of a mix of `limit` bytes at most.
    pub(super) fn announce(&mut self, header: MixHeader, limit: u64) -> Result<(), String> {
        let MixHeader { turn, length, .. } = header;
        if !Rule::MixNumber.allows(turn == self.number) {
            return Err(format!("a mix of turn {turn}, in turn {}", self.number));
        }
        if self.gathering.is_some() {
            return Err("a second mix in one turn".to_owned());
        }
        if length == 0 || length > limit.min((MAX_PARTS * PART_BYTES) as u64) {
            return Err(format!("a mix of {length} bytes, of {limit} at most"));
        }
        self.gathering = Some(Gathering { header, parts: 0, bytes: Vec::new() });
        Ok(())
    }

    /// Takes a part; the whole mix if it was the last one.
    pub(super) fn gather(&mut self, part: &MixPart) -> Result<Option<Vec<u8>>, String> {
        let number = self.number;
        let gathering = self.gathering.as_mut().ok_or("a part of a mix that was not announced")?;
        let due = gathering.parts;
        let left = gathering.header.length - gathering.bytes.len() as u64;
        let (bytes, most) = (part.bytes.len() as u64, left.min(PART_BYTES as u64));
        let is_of_turn = Rule::MixNumber.allows(part.turn == number);
        if !is_of_turn || part.index != due || !(1..=most).contains(&bytes) {
            return Err(format!(
                "part {} of turn {} with {bytes} bytes, where part {due} of turn {number} with {most} at most is due",
                part.index, part.turn
            ));
        }
        gathering.bytes.extend_from_slice(&part.bytes);
        gathering.parts += 1;
        if left > bytes {
            return match (gathering.parts as usize) < MAX_PARTS {
                true => Ok(None),
                false => Err(format!("a mix in more than {MAX_PARTS} parts")),
            };
        }
        let whole = self.gathering.take().filter(Gathering::is_whole);
        whole.map(|whole| Some(whole.bytes)).ok_or("the parts are not those of the mix".to_owned())
    }
}
