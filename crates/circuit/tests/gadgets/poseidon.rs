//! Poseidon on wires.

use algebra::Scalar;
use circuit::{gadgets::Poseidon, synthesis::Synthesizer};

use super::support::{Of, S, check};

fn constraints<const N: usize>() -> u32 {
    let inputs: [S; N] = std::array::from_fn(|i| S::from_u64(i as u64 + 7));
    let poseidon = Poseidon::<S, N>::new();
    let circuit = Of(|cs: &mut Synthesizer<S>| {
        let wires = inputs.map(|input| cs.private(input));
        let hash = poseidon.constrain(cs, wires.each_ref());
        cs.expose(&hash);
    });
    let (system, outputs) = check(&circuit, 13);
    assert_eq!(outputs, [poseidon.hash(inputs)]);
    system.header().constraints
}

/// Those of circomlib, and one for the output. A change is a change of the circuit.
#[test]
fn on_wires() {
    let counts = [constraints::<1>(), constraints::<2>(), constraints::<4>(), constraints::<7>()];
    assert_eq!(counts, [214, 241, 298, 382]);
}
