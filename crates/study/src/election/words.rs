//! Which election it is, in words that two people compare by telephone.

use wire::{Digest, DigestWriter};

const DOMAIN: &str = "subrosa/election/words/v1";
/// Bytes that the words tell: who looks for two elections of the same words tries 2^64 of them.
const BYTES: usize = 16;

/// Eight words for a board and the description of its election ([`Election::in_words`](super::Election::in_words)). They are proquints (D. S. Wilkerson,
/// arXiv:0901.4016): two bytes make a word of five letters that can be said and spelled in any language, without a
/// list of words that both sides would need.
pub(super) fn in_words(board: &Digest, description: &Digest) -> String {
    let mut writer = DigestWriter::new(DOMAIN);
    writer.update(board.as_bytes());
    writer.update(description.as_bytes());
    proquints(writer.finish().as_bytes().iter().take(BYTES).copied())
}

/// Every two bytes as a word.
fn proquints(bytes: impl Iterator<Item = u8>) -> String {
    let bytes: Vec<u8> = bytes.collect();
    let words: Vec<String> = bytes.as_chunks().0.iter().map(|pair| proquint(*pair)).collect();
    words.join(" ")
}

/// Consonant, vowel, consonant, vowel, consonant: 4, 2, 4, 2 and 4 bits, the high ones first.
fn proquint(pair: [u8; 2]) -> String {
    let bits = usize::from(u16::from_be_bytes(pair));
    let letter = |letters: &str, shift: usize| {
        let place = (bits >> shift) % letters.len();
        // The place is below the length, and every letter is one byte.
        letters.chars().nth(place).unwrap_or_default()
    };
    const CONSONANTS: &str = "bdfghjklmnprstvz";
    const VOWELS: &str = "aiou";
    [(CONSONANTS, 12), (VOWELS, 10), (CONSONANTS, 6), (VOWELS, 4), (CONSONANTS, 0)]
        .map(|(letters, shift)| letter(letters, shift))
        .iter()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of the proposal: addresses of the internet.
    #[test]
    fn words_are_those_of_the_proposal() {
        for (bytes, words) in [
            ([127, 0, 0, 1], "lusab babad"),
            ([63, 84, 220, 193], "gutih tugad"),
            ([63, 118, 7, 35], "gutuk bisog"),
            ([140, 98, 193, 141], "mudof sakat"),
            ([64, 255, 6, 200], "haguz biram"),
            ([255, 255, 0, 0], "zuzuz babab"),
        ] {
            assert_eq!(proquints(bytes.into_iter()), words);
        }
    }

    #[test]
    fn board_and_description_decide_the_words() {
        let [one, other] = [[1; 32], [2; 32]].map(Digest::from);
        let words = in_words(&one, &one);
        assert_eq!(words.split(' ').map(str::len).collect::<Vec<_>>(), [5; 8]);
        assert_ne!(words, in_words(&one, &other));
        assert_ne!(words, in_words(&other, &one));
    }
}
