//! Linear tests on outputs: pairs that the paper's sizes allow, and the default's do not.
//!
//! A predicate's Fourier sets of lowest order are known. Two outputs that have one in common have an
//! XOR of bias `c^2`, c being the set's coefficient, which is that much about the XOR of two bits that
//! they mask.

use std::collections::BTreeSet;

use super::{BATCH, Graph, Places, outputs};
use crate::{params::Generator, prg::Prg};

/// The sets of lowest order of an output, and their coefficient.
fn lowest_sets(generator: Generator, places: &Places) -> (Vec<Vec<u16>>, f64) {
    let with = |fixed: &[u16], others: &[u16]| -> Vec<Vec<u16>> {
        others.iter().map(|other| [fixed, &[*other]].concat()).collect()
    };
    match generator {
        Generator::Xor8Maj7 => (with(&places[..8], &places[8..15]), 0.3125),
        Generator::PaperXor4Maj7 => (with(&places[..4], &places[4..11]), 0.3125),
        Generator::PaperTspa => {
            let [x1, x2, x3, x4, x5] = std::array::from_fn(|i| places[i]);
            (vec![vec![x1, x2, x3], vec![x1, x2, x5], vec![x1, x4, x3], vec![x1, x4, x5]], 0.5)
        }
    }
}

/// Pairs of outputs with a set in common, among the outputs of one seed.
fn common_sets(generator: Generator, graph: &Graph) -> BTreeSet<[u32; 2]> {
    let entry = generator.entry();
    // A set's name is the XOR of its members' names.
    let names = Prg::new(99).blocks(entry.seed);
    let mut sets = Vec::new();
    let mut places = [Places::default(); BATCH];
    for first in (0..entry.outputs).step_by(BATCH) {
        let (places, _) = places.split_at_mut(BATCH.min(entry.outputs - first));
        graph.places(first as u64, places);
        for (output, places) in (first as u32..).zip(&*places) {
            for set in lowest_sets(generator, places).0 {
                let name = set.iter().fold(0, |name, &place| name ^ names[usize::from(place)]);
                sets.push((name as u64, output));
            }
        }
    }
    sets.sort_unstable();
    let pairs = sets.windows(2).filter(|pair| pair[0].0 == pair[1].0);
    pairs.map(|pair| [pair[0].1, pair[1].1]).collect()
}

/// `|E (-1)^(a + b)|` over random seeds.
fn bias(generator: Generator, graph: &Graph, pair: [u32; 2]) -> f64 {
    let tries = 20_000;
    let len = generator.entry().seed;
    let sum: i32 = (0..tries)
        .map(|number| {
            let words = Prg::new(1_000 + number).blocks(len / 128);
            let seed: Vec<_> = words
                .iter()
                .flat_map(|word| (0..128).map(move |i| (word >> i & 1) as u8))
                .collect();
            let [a, b] = pair.map(|output| {
                let mut out = [0];
                outputs(generator, graph, &seed, output.into(), &mut out);
                out[0]
            });
            1 - 2 * i32::from(a ^ b)
        })
        .sum();
    f64::from(sum.abs()) / tries as f64
}

#[test]
fn the_papers_sizes_have_biased_pairs() {
    // 2.9 pairs for each graph of XOR4-MAJ7 are expected, and one pair for 3.6 graphs of TSPA.
    for (generator, graphs) in [(Generator::PaperXor4Maj7, 2), (Generator::PaperTspa, 24)] {
        let graphs = (0..graphs).map(|key| Graph::new(generator, key));
        let mut found = 0;
        for graph in graphs {
            for pair in common_sets(generator, &graph) {
                let (_, coefficient) = lowest_sets(generator, &Places::default());
                let (bias, expected) = (bias(generator, &graph, pair), coefficient * coefficient);
                // Four standard deviations are 0.028; a second common set adds to the first.
                assert!(bias > expected - 0.03, "{generator} {pair:?}: {bias}");
                found += 1;
            }
        }
        assert!((1..30).contains(&found), "{generator}: {found} pairs");
    }
}

/// 2^-39.9 pairs are expected for a graph.
#[test]
fn the_default_has_no_biased_pair() {
    let generator = Generator::default();
    for key in 0..2 {
        assert!(common_sets(generator, &Graph::new(generator, key)).is_empty());
    }
    // Two outputs that have nothing in common: four standard deviations.
    assert!(bias(generator, &Graph::new(generator, 0), [5, 77]) < 0.03);
}
