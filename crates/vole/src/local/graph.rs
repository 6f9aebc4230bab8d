use crate::{params::Generator, prg::Prg};

use super::MAX_LOCALITY;

/// Outputs whose places are drawn at once.
const BATCH: usize = 16;

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

/// The places of an output; those beyond the locality are zero.
type Places = [u16; MAX_LOCALITY];

impl Graph {
    pub(crate) fn new(generator: Generator, key: u128) -> Self {
        let width = generator.entry().seed.ilog2();
        let locality = generator.locality();
        let blocks = (locality * width as usize).div_ceil(128);
        Self { generator: Prg::new(key), locality, width, blocks }
    }

    /// Calls `take` with the places of outputs `first..first + count`, in order.
    #[inline(always)]
    pub(crate) fn each(&self, first: u64, count: usize, mut take: impl FnMut(&Places)) {
        let mut words = [0; 2 * BATCH];
        for start in (0..count).step_by(BATCH) {
            let numbers = first + start as u64..first + count.min(start + BATCH) as u64;
            let used = self.blocks * (numbers.end - numbers.start) as usize;
            let (words, _) = words.split_at_mut(used);
            for (number, words) in numbers.clone().zip(words.chunks_mut(self.blocks)) {
                counters(number, 0, words);
            }
            self.generator.encrypt(words);
            for (number, words) in numbers.zip(words.chunks(self.blocks)) {
                match self.places(words) {
                    Some(places) => take(&places),
                    None => take(&self.redraw(number)),
                }
            }
        }
    }

    #[cold]
    fn redraw(&self, number: u64) -> Places {
        for attempt in 1.. {
            let mut words = [0; 2];
            let (words, _) = words.split_at_mut(self.blocks);
            counters(number, attempt, words);
            self.generator.encrypt(words);
            if let Some(places) = self.places(words) {
                return places;
            }
        }
        [0; MAX_LOCALITY]
    }

    /// The places in a draw, unless one is repeated.
    #[inline(always)]
    fn places(&self, words: &[u128]) -> Option<Places> {
        let (mut low, mut high) = match words {
            [low, high] => (*low, *high),
            [low] => (*low, 0),
            _ => (0, 0),
        };
        let mask = (1u128 << self.width) - 1;
        let mut places = [0; MAX_LOCALITY];
        let mut seen = [0u64; 64];
        let mut repeated = 0;
        for place in places.iter_mut().take(self.locality) {
            *place = (low & mask) as u16;
            low = low >> self.width | high << (128 - self.width);
            high >>= self.width;
            if let Some(word) = seen.get_mut(usize::from(*place >> 6)) {
                repeated |= *word >> (*place & 63) & 1;
                *word |= 1 << (*place & 63);
            }
        }
        (repeated == 0).then_some(places)
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
            let mut all = Vec::new();
            graph.each(0, 1_000, |places| all.push(*places));
            let mut middle = Vec::new();
            graph.each(333, 100, |places| middle.push(*places));
            assert_eq!(middle, all[333..433]);
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
