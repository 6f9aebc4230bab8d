//! The public random graph that says on which places of the seed each output depends.

use crate::{params::Generator, prg::Prg};

/// Outputs whose places are drawn at once.
pub(super) const BATCH: usize = 64;

/// The public random graph of a generator: output i depends on distinct places, drawn from AES in
/// counter mode; a draw that has a repeat is drawn again.
pub(crate) struct Graph {
    generator: Prg,
    locality: usize,
    /// Bits of a place.
    width: u32,
    /// Blocks of a draw.
    blocks: usize,
}

/// Places that an output depends on, at most.
pub(super) const MAX_LOCALITY: usize = 15;
/// The places of an output; those beyond the locality are zero.
pub(super) type Places = [u16; MAX_LOCALITY];

impl Graph {
    pub(crate) fn new(generator: Generator, key: u128) -> Self {
        let width = generator.entry().seed.ilog2();
        let locality = generator.locality();
        let blocks = (locality * width as usize).div_ceil(128);
        Self { generator: Prg::new(key), locality, width, blocks }
    }

    /// The places of outputs from `first` on, at most [`BATCH`].
    #[inline(always)]
    pub(super) fn places(&self, first: u64, out: &mut [Places]) {
        let mut words = [0; 2 * BATCH];
        let (words, _) = words.split_at_mut(self.blocks * out.len().min(BATCH));
        for (number, words) in (first..).zip(words.chunks_mut(self.blocks)) {
            counters(number, 0, words);
        }
        self.generator.encrypt(words);
        for ((number, words), out) in (first..).zip(words.chunks(self.blocks)).zip(out) {
            *out = self.read(words).unwrap_or_else(|| self.redraw(number));
        }
    }

    #[cold]
    fn redraw(&self, number: u64) -> Places {
        for attempt in 1.. {
            let mut words = [0; 2];
            let (words, _) = words.split_at_mut(self.blocks);
            counters(number, attempt, words);
            self.generator.encrypt(words);
            if let Some(places) = self.read(words) {
                return places;
            }
        }
        [0; MAX_LOCALITY]
    }

    /// The places in a draw, unless one is repeated.
    #[inline(always)]
    fn read(&self, words: &[u128]) -> Option<Places> {
        let (mut low, mut high) = match words {
            [low, high] => (*low, *high),
            [low] => (*low, 0),
            _ => (0, 0),
        };
        let mask = (1u128 << self.width) - 1;
        let mut places = [0; MAX_LOCALITY];
        // A register of lanes to compare with; those beyond the locality are no places.
        let mut lanes = [u16::MAX; MAX_LOCALITY.next_power_of_two()];
        for (place, lane) in places.iter_mut().zip(&mut lanes).take(self.locality) {
            *place = (low & mask) as u16;
            *lane = *place;
            low = low >> self.width | high << (128 - self.width);
            high >>= self.width;
        }
        let equal = |place: &u16| lanes.iter().map(|lane| u16::from(lane == place)).sum::<u16>();
        // Each is equal to itself.
        let equals: u16 = places.iter().take(self.locality).map(equal).sum();
        (usize::from(equals) == self.locality).then_some(places)
    }
}

/// The blocks of a draw: the output's number, the attempt, the block's number.
fn counters(number: u64, attempt: u32, words: &mut [u128]) {
    for (half, word) in (0u128..).zip(words) {
        *word = u128::from(number) | u128::from(attempt) << 64 | half << 96;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_distinct_and_can_be_read_from_anywhere() {
        for generator in Generator::ALL {
            let graph = Graph::new(generator, 5);
            let mut all = vec![[0; MAX_LOCALITY]; 64 * BATCH];
            for (number, batch) in all.chunks_mut(BATCH).enumerate() {
                graph.places((number * BATCH) as u64, batch);
            }
            let mut middle = [[0; MAX_LOCALITY]; 11];
            graph.places(333, &mut middle);
            assert_eq!(middle, all[333..344]);
            for places in all {
                let mut used = places[..graph.locality].to_vec();
                used.sort_unstable();
                used.dedup();
                assert_eq!(used.len(), graph.locality);
                assert!(used.iter().all(|&place| usize::from(place) < generator.entry().seed));
            }
        }
    }
}
