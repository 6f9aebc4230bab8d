//! Circuits: what the files say, what the witness is, and that both parties agree on it.

use std::collections::BTreeMap;

use crate::common::{Change, Sender, Tamper, rng, run};
use proptest::prelude::*;
use vole::{
    Converter, ParameterSet, Prover, Session, Setup, Verifier, VoleError,
    circuit::{
        Assignments, Builder, Circuit, CircuitError, Layer, Network, Statement, Value, Witness,
    },
};

type Outputs = BTreeMap<String, Vec<i64>>;

fn values(pairs: &[(&str, Value)]) -> Assignments {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect()
}

fn session(
    converter: Converter,
    statement: &Statement<'_>,
    witness: &Witness,
    tamper: Option<Tamper>,
) -> (Result<Outputs, VoleError>, Result<Outputs, VoleError>) {
    let correlations = ParameterSet::NoLpn;
    let setup = Setup { correlations, converter, ..Setup::default() };
    let context = statement.context();
    run(
        tamper,
        |channel| {
            Prover::run(channel, setup, &context, &mut rng(1), |prover| {
                prover.even_if_false();
                statement.run(prover, Some(witness))
            })
        },
        |channel| {
            Verifier::run(channel, setup, &context, &mut rng(2), |verifier| {
                statement.run(verifier, None)
            })
        },
    )
}

/// Proves with both kinds of converters, and returns the outputs that the verifiers accept.
fn accepted(text: &str, public: &[(&str, Value)], private: &[(&str, Value)]) -> Option<Outputs> {
    let circuit = Circuit::from_text(text).unwrap();
    let statement = Statement::new(&circuit, &values(public)).unwrap();
    let witness = statement.witness(&values(private)).unwrap();
    let is_true = witness.failure().is_none() && statement.contradiction(&witness).is_none();
    let accepted = [Converter::GENERATOR, Converter::EdaBits].map(|converter| {
        let (prover, verifier) = session(converter, &statement, &witness, None);
        assert_eq!(is_true, verifier.is_ok(), "{verifier:?}");
        assert_eq!(is_true, prover.is_ok(), "{prover:?}");
        match (&prover, &verifier) {
            (_, Ok(_)) | (_, Err(VoleError::Cheating { check: "claims" })) => {}
            // Numbers without the bits have no sums to show: a prover stops here itself.
            (_, Err(VoleError::Cheating { check: "seed rows" }))
            | (
                Err(VoleError::Unlucky | VoleError::False { what: "conversion" }),
                Err(VoleError::Channel(_)),
            ) if converter == Converter::EdaBits => {}
            other => panic!("{converter:?}: {other:?}"),
        }
        assert_eq!(prover.ok(), verifier.as_ref().ok().cloned());
        verifier.ok()
    });
    let [first, second] = accepted;
    assert_eq!(first, second);
    first
}

const ALL_GATES: &str = "\
subrosa-circuit 1
# every gate once, at least
input key bits 4
input flag bits
input x int 20
input y int 20   # signed
input list int 8 5

one = bit 1
a = xor key[0] key[1]
b = and a key[2]
c = or b key[3]
d = not c
n = from_bits key d flag
m = int -7
s = add x y
t = sub x y
u = shift s 100
v = scale t -3
p = mul x y
plain = dot 0 x y : y list[0]
half = dot 1 list[0..3] : list[2..5]
low = to_bits 3 n2
sign = non_negative t
less = less x y
positive = relu x
top place = largest list
assert_equal low[0..2] key[0..2]
assert_zero zero
output bits a b c d one low
output numbers n m s t u v p plain half
output signs sign less positive top place
";

fn all_gates() -> String {
    // Wires are made before they are read.
    ALL_GATES.replace(
        "low = to_bits 3 n2\n",
        "n2 = from_bits key[0..3]\nlow = to_bits 3 n2\nzero = sub n2 n2\n",
    )
}

fn all_inputs(x: i64, y: i64) -> Vec<(&'static str, Value)> {
    vec![
        ("key", Value::Hex("0x5".into())),
        ("flag", Value::Int(1)),
        ("x", Value::Int(x)),
        ("y", Value::Int(y)),
        ("list", Value::List(vec![-128, 7, 127, 127, -5])),
    ]
}

#[test]
fn every_gate_computes_what_it_says() {
    for (x, y) in [(5, 9), (-300_000, 524_287), (0, 0), (-7, -524_288)] {
        // Bits 1010: a = 1 + 0, b = a 1, c = b or 0, d = 0.
        let outputs = accepted(&all_gates(), &[], &all_inputs(x, y)).unwrap();
        assert_eq!(outputs["bits"], [1, 1, 1, 0, 1, 1, 0, 1]);
        // key = 0101, then d = 0, then 1.
        let half = (-128 * 127 + 7 * 127 - 127 * 5i64).div_euclid(2);
        let plain = x * y - y * 128;
        let expected = [37, -7, x + y, x - y, x + y + 100, -3 * (x - y), x * y, plain, half];
        assert_eq!(outputs["numbers"], expected);
        let expected = [i64::from(x >= y), i64::from(x < y), x.max(0), 127, 2];
        assert_eq!(outputs["signs"], expected);
    }
    // Public inputs instead of private ones, and outputs claimed rather than shown.
    let (private, public): (Vec<_>, Vec<_>) =
        all_inputs(-3, 4).into_iter().partition(|(name, _)| matches!(*name, "x" | "flag"));
    let signs = |less| ("signs", Value::List(vec![0, less, 0, 127, 2]));
    let truth = [public.clone(), vec![signs(1)]].concat();
    assert_eq!(accepted(&all_gates(), &truth, &private).unwrap()["signs"], [0, 1, 0, 127, 2]);
    let untruth = [public, vec![signs(0)]].concat();
    assert_eq!(accepted(&all_gates(), &untruth, &private), None);
}

#[test]
fn false_claims_are_refused() {
    let claims = [
        ("input x int 8\nassert_zero x", 0, 1),
        ("input x int 8\nbits = to_bits 3 x", 7, 8),
        ("input x int 8\nbits = to_bits 3 x", 0, -1),
        ("input x int 8\nbits = to_bits 3 x\nassert_zero bits[1]", 5, 6),
        ("input x int 8\ny = int 9\nz = mul x x\nassert_equal y z", -3, 4),
        ("input x int 8\ny = relu x\nassert_zero y", -128, 1),
        ("input x int 8\ny = dot 2 x : x\nassert_zero y", 1, 2),
        ("input x int 8\ny = less x x\ns = non_negative x\nassert_equal y s", -1, 0),
    ];
    for (text, right, wrong) in claims {
        let text = format!("subrosa-circuit 1\n{text}\n");
        assert!(accepted(&text, &[], &[("x", Value::Int(right))]).is_some(), "{text}");
        assert!(accepted(&text, &[], &[("x", Value::Int(wrong))]).is_none(), "{text}");
    }
}

#[test]
fn printing_and_reading_give_the_same_circuit() {
    let circuit = Circuit::from_text(&all_gates()).unwrap();
    assert_eq!(Circuit::from_text(&circuit.to_string()).unwrap(), circuit);
    assert_eq!(circuit.size().ands, 2);
    let adder = Circuit::from_bristol(&adder(64)).unwrap();
    assert_eq!(Circuit::from_text(&adder.to_string()).unwrap(), adder);
    // Other circuits and other public values are other statements.
    let context = |circuit, public: &[(&str, Value)]| {
        Statement::new(circuit, &values(public)).unwrap().context()
    };
    let five = [("x", Value::Int(5))];
    assert_ne!(context(&circuit, &[]), context(&adder, &[]));
    assert_ne!(context(&circuit, &five), context(&circuit, &[("x", Value::Int(6))]));
    assert_ne!(context(&circuit, &five), context(&circuit, &[("y", Value::Int(5))]));
    assert_eq!(context(&circuit, &five), context(&circuit, &five));
}

#[test]
fn texts_are_refused_where_they_are_wrong() {
    let cases: &[(&str, usize, usize, &str)] = &[
        ("", 1, 1, "expected subrosa-circuit 1"),
        ("subrosa-circuit 2", 1, 17, "expected subrosa-circuit 1"),
        ("subrosa-circuit 1\n\nfoo $b0", 3, 1, "expected a statement or a gate"),
        ("subrosa-circuit 1\ninput x int 60", 2, 15, "2^59"),
        ("subrosa-circuit 1\ninput x int 0", 2, 14, "2^59"),
        ("subrosa-circuit 1\ninput x bits 99999999", 2, 22, "at most 1048576"),
        ("subrosa-circuit 1\ninput 9x bits", 2, 14, "is no name"),
        ("subrosa-circuit 1\ninput x bits\ninput x bits", 3, 13, "is taken"),
        ("subrosa-circuit 1\ninput x bits\ny = not z", 3, 9, "wire z is not made"),
        ("subrosa-circuit 1\ninput x bits\nnot $b1", 3, 5, "is not made"),
        ("subrosa-circuit 1\ninput x bits 3\nnot x[3]", 3, 5, "wire x[3] is not made"),
        ("subrosa-circuit 1\ninput x bits 3\nnot x", 3, 5, "one bit"),
        ("subrosa-circuit 1\ninput x bits\ny = add x x", 3, 9, "one integer"),
        ("subrosa-circuit 1\ninput x int 40\ny = mul x x", 3, 11, "2^59"),
        (
            "subrosa-circuit 1\ninput x int 8\ny = shift x +1",
            3,
            13,
            "expected an integer, found `+1`",
        ),
        ("subrosa-circuit 1\ninput x int 8\ny = dot 2 x : x x", 3, 17, "either side"),
        ("subrosa-circuit 1\ninput x int 8\ny = dot 2 x", 3, 11, "expected `:`"),
        ("subrosa-circuit 1\ninput x int 8\ny = largest", 3, 5, "one integer at least"),
        ("subrosa-circuit 1\ninput x int 8\ny z = relu x", 3, 13, "a name for each result"),
        ("subrosa-circuit 1\ninput x int 8\nrelu x x", 3, 8, "the end of the line"),
        ("subrosa-circuit 1\ninput x int 8\noutput x x", 3, 10, "is taken"),
        ("subrosa-circuit 1\ninput x int 8\nfrom_bits $b4294967295", 3, 11, "is not made"),
        ("subrosa-circuit 1\noutput o $i0..4294967295", 2, 10, "at most 1048576"),
    ];
    for (text, line, column, message) in cases {
        let error = Circuit::from_text(text).expect_err(text);
        assert_eq!((error.line, error.column), (*line, *column), "{text}: {error}");
        assert!(error.to_string().contains(message), "{text}: {error}");
    }
}

#[test]
fn values_must_fit() {
    let circuit = Circuit::from_text(&all_gates()).unwrap();
    let wrong: &[(&str, Value, &str)] = &[
        ("x", Value::Int(1 << 19), "is not in"),
        ("x", Value::List(vec![1, 2]), "values: 2, wires: 1"),
        ("x", Value::Hex("0x1".into()), "bits only"),
        ("key", Value::Hex("0x10".into()), "4 bits"),
        ("key", Value::Hex("5".into()), "4 bits"),
        ("key", Value::Int(16), "4 bits"),
        ("key", Value::List(vec![0, 1, 2, 0]), "is not in"),
        ("list", Value::Int(3), "values: 1, wires: 5"),
        ("nobody", Value::Int(3), "no such input"),
    ];
    let statement = Statement::new(&circuit, &Assignments::new()).unwrap();
    for (name, value, message) in wrong {
        let mut private = values(&all_inputs(1, 2));
        private.insert((*name).into(), value.clone());
        let error = statement.witness(&private).err().unwrap();
        assert!(error.to_string().contains(message), "{name}: {error}");
        let error = Statement::new(&circuit, &values(&[(name, value.clone())])).err().unwrap();
        assert!(error.to_string().contains(message), "{name}: {error}");
    }
    let missing = statement.witness(&values(&all_inputs(1, 2)[1..])).err().unwrap();
    assert_eq!(missing, CircuitError::Value { name: "key".into(), reason: "it is missing".into() });
    let both = Statement::new(&circuit, &values(&[("x", Value::Int(1))])).unwrap();
    assert!(both.witness(&values(&all_inputs(1, 2))).err().unwrap().to_string().contains("public"));
}

/// A ripple-carry adder of two numbers, as a Bristol Fashion file: XOR, AND and INV gates.
fn adder(bits: usize) -> String {
    let mut gates = Vec::new();
    let mut next = 2 * bits;
    let mut gate = |gates: &mut Vec<String>, name: &str, a: usize, b: usize| {
        gates.push(format!("2 1 {a} {b} {next} {name}"));
        next += 1;
        next - 1
    };
    let mut sums = Vec::new();
    let mut carry = None;
    for (a, b) in (0..bits).map(|place| (place, bits + place)) {
        let half = gate(&mut gates, "XOR", a, b);
        let Some(before) = carry else {
            sums.push(half);
            carry = Some(gate(&mut gates, "AND", a, b));
            continue;
        };
        sums.push(gate(&mut gates, "XOR", half, before));
        // a b + c (a + b)
        let both = gate(&mut gates, "AND", a, b);
        let through = gate(&mut gates, "AND", half, before);
        carry = Some(gate(&mut gates, "XOR", both, through));
    }
    // Outputs are the last wires.
    for sum in sums {
        gates.push(format!("1 1 {sum} {next} EQW"));
        next += 1;
    }
    format!("{} {next}\n2 {bits} {bits}\n1 {bits}\n\n{}\n", gates.len(), gates.join("\n"))
}

#[test]
fn a_bristol_adder_adds() {
    let circuit = Circuit::from_bristol(&adder(64)).unwrap();
    assert_eq!(circuit.size().ands, 127);
    let [a, b] = [0xFFFF_0000_1234_5678u64, 0x0001_FFFF_8765_4321];
    let sum = Value::Hex(format!("{:#018x}", a.wrapping_add(b)));
    let private =
        values(&[("in0", Value::Hex(format!("{a:#x}"))), ("in1", Value::Hex(format!("{b:#x}")))]);
    let statement = Statement::new(&circuit, &values(&[])).unwrap();
    let witness = statement.witness(&private).unwrap();
    let (_, verifier) = session(Converter::default(), &statement, &witness, None);
    assert!(Value::of_bits(&verifier.unwrap()["out0"]) == sum);
    // Claimed instead of shown; and another sum.
    for (claimed, is_true) in [(sum, true), (Value::Hex("0x0".into()), false)] {
        let statement = Statement::new(&circuit, &values(&[("out0", claimed)])).unwrap();
        let witness = statement.witness(&private).unwrap();
        assert_eq!(statement.contradiction(&witness).is_none(), is_true);
        assert_eq!(session(Converter::default(), &statement, &witness, None).1.is_ok(), is_true);
    }
}

#[test]
fn bristol_constants_copies_and_many_ands() {
    let text = "5 11\n1 4\n1 4\n1 1 1 4 EQ\n1 1 0 5 INV\n4 2 0 1 2 3 7 8 MAND\n1 1 4 9 EQW\n2 1 5 4 10 XOR\n";
    let circuit = Circuit::from_bristol(text).unwrap();
    let statement = Statement::new(&circuit, &values(&[])).unwrap();
    let witness = statement.witness(&values(&[("in0", Value::List(vec![1, 1, 1, 0]))])).unwrap();
    let (_, verifier) = session(Converter::default(), &statement, &witness, None);
    // Wires 7 to 10: 1 and 1, 1 and 0, the constant, not 1 plus 1.
    assert_eq!(verifier.unwrap()["out0"], [1, 0, 1, 1]);
}

#[test]
fn bristol_files_are_refused_where_they_are_wrong() {
    let cases: &[(&str, usize, &str)] = &[
        ("", 1, "the number of gates"),
        ("1 3\n2 1 1\n1 1\n2 1 0 1 2 NAND", 4, "found `NAND`"),
        ("1 3\n2 1 1\n1 1\n2 1 0 2 2 AND", 4, "wire 2 is not made"),
        ("1 3\n2 1 1\n1 1\n2 1 0 1 1 AND", 4, "made already"),
        ("1 3\n2 1 1\n1 1\n2 1 0 1 3 AND", 4, "the header has no wire 3"),
        ("1 3\n2 1 1\n1 1\n1 1 0 2 AND", 4, "AND is no gate that reads 1 and makes 1"),
        ("1 3\n2 1 1\n1 1\n2 1 0 1 2 7 AND", 4, "found `7`"),
        ("1 3\n2 1 1\n1 1\n2 1 0 1 AND", 4, "found `AND`"),
        ("1 3\n2 1 1\n1 1\n1 1 2 2 EQ", 4, "0 or 1"),
        ("2 3\n2 1 1\n1 1\n2 1 0 1 2 AND", 5, "says 2 gates"),
        ("0 2\n2 1 1\n1 1\n2 1 0 1 2 AND", 4, "one more"),
        ("1 4\n2 1 1\n1 2\n2 1 0 1 2 AND", 5, "wire 3 is not made"),
        ("1 3\n2 1 1\n1 4\n2 1 0 1 2 AND", 3, "4 output bits of 3 wires"),
        ("1 3\n99999999999 1\n", 2, "expected a number of bits"),
        ("1 3\n1 99999999999\n", 2, "at most 1048576"),
        ("1 4000000000\n2 1 1\n1 1\n", 2, "no 4000000000 wires"),
        ("4000000000 4\n2 1 1\n1 1\n", 2, "with 4000000000 gates"),
        ("1 3\n2 1 1\n1 1\n4000000000 2000000000 0 1 MAND", 4, "expected a wire"),
    ];
    for (text, line, message) in cases {
        let error = Circuit::from_bristol(text).expect_err(text);
        assert_eq!(error.line, *line, "{text}: {error}");
        assert!(error.to_string().contains(message), "{text}: {error}");
    }
}

proptest! {
    #[test]
    fn no_text_makes_a_reader_panic(
        text in "(subrosa-circuit 1\n)?([a-z_]{1,9}|[0-9]{1,5}|\\$[bi][0-9]{1,2}(\\.\\.[0-9])?|=|:|\\[|\n| ){0,60}",
    ) {
        let _ = (Circuit::from_text(&text), Circuit::from_bristol(&text));
    }

    #[test]
    fn no_change_of_a_file_makes_a_reader_panic(at in 0usize..400, with in any::<char>()) {
        for text in [all_gates(), adder(4)] {
            let mut text: Vec<_> = text.chars().collect();
            let at = at % text.len();
            text[at] = with;
            let text: String = text.into_iter().collect();
            let _ = (Circuit::from_text(&text), Circuit::from_bristol(&text));
        }
    }
}

#[test]
fn a_builder_refuses_what_might_not_fit() {
    let mut builder = Builder::default();
    let x = builder.ints("x", 30, 2).unwrap();
    assert_eq!(builder.scale(x[0], i64::MIN), Err(CircuitError::Bound));
    assert_eq!(builder.int(i64::MAX), Err(CircuitError::Bound));
    let product = builder.mul(x[0], x[1]).unwrap();
    assert_eq!(builder.dot(vec![[product, x[0]]], 59), Err(CircuitError::Bound));
    assert_eq!(builder.add(product, product).map(drop), Err(CircuitError::Bound));
}

fn network() -> Network {
    let layer = |rectify, weights: &[[i64; 3]], biases: &[i64]| Layer {
        rectify,
        weights: weights.iter().map(|row| row.to_vec()).collect(),
        biases: biases.to_vec(),
    };
    Network {
        format: Network::FORMAT.into(),
        fraction: 4,
        input_width: 8,
        weight_width: 8,
        layers: vec![
            layer(true, &[[16, -8, 3], [-20, 11, 9], [5, 5, -30]], &[-3, 7, 0]),
            layer(false, &[[9, -4, 2], [-9, 17, 0]], &[1, -2]),
        ],
    }
}

/// The network in the integers, independently of the circuit.
fn classify(network: &Network, record: &[i64]) -> i64 {
    let mut values = record.to_vec();
    for layer in &network.layers {
        let outputs = layer.weights.iter().zip(&layer.biases).map(|(row, bias)| {
            let sum: i64 = row.iter().zip(&values).map(|(w, x)| w * x).sum();
            let output = sum.div_euclid(1 << network.fraction) + bias;
            if layer.rectify { output.max(0) } else { output }
        });
        values = outputs.collect();
    }
    let best = *values.iter().max().unwrap();
    values.iter().position(|value| *value == best).unwrap() as i64
}

#[test]
fn a_network_classifies() {
    let network = network();
    let records: Vec<_> =
        (0..6).map(|i| vec![i * 37 % 256 - 128, i * 91 % 256 - 128, i * 53 % 256 - 128]).collect();
    let classes: Vec<_> = records.iter().map(|record| classify(&network, record)).collect();
    assert!(classes.contains(&0) && classes.contains(&1), "{classes:?}");
    let circuit = network.circuit(records.len()).unwrap();
    let private = network.assignments(&records);

    let shown = Statement::new(&circuit, &values(&[])).unwrap();
    let witness = shown.witness(&private).unwrap();
    assert_eq!(
        session(Converter::default(), &shown, &witness, None).1.unwrap()["classes"],
        classes
    );

    let mut other = classes.clone();
    other[3] = 1 - other[3];
    let claim = Statement::new(&circuit, &values(&[("classes", Value::List(other))])).unwrap();
    let witness = claim.witness(&private).unwrap();
    assert_eq!(claim.contradiction(&witness), Some("classes"));
    assert!(matches!(
        session(Converter::default(), &claim, &witness, None).1,
        Err(VoleError::Cheating { .. })
    ));
}

#[test]
fn networks_must_fit_together() {
    let mut wrong = [network(), network(), network(), network()];
    wrong[0].layers[1].weights[0].push(1);
    wrong[1].layers[0].biases.pop();
    wrong[2].layers.clear();
    wrong[3].format = "subrosa-network/2".into();
    for network in wrong {
        assert!(matches!(network.circuit(1), Err(CircuitError::Contradiction(_))));
    }
    let mut wide = network();
    wide.input_width = 59;
    assert_eq!(wide.circuit(1).err(), Some(CircuitError::Bound));
    assert!(matches!(network().circuit(1 << 20), Err(CircuitError::TooMany { .. })));
}

#[test]
fn changed_messages_are_refused() {
    let circuit = Circuit::from_text(&all_gates()).unwrap();
    let statement = Statement::new(&circuit, &values(&[])).unwrap();
    let witness = statement.witness(&values(&all_inputs(5, 9))).unwrap();
    for change in [Change::Flip(vec![0]), Change::Shorten, Change::Cut] {
        // Beyond the session's set-up, each message of the statement.
        for frame in 4..16 {
            let tamper = Tamper { sender: Sender::Prover, frame, change: change.clone() };
            let (prover, verifier) =
                session(Converter::default(), &statement, &witness, Some(tamper));
            assert!(prover.is_err() && verifier.is_err(), "{frame} {change:?}: {verifier:?}");
        }
    }
}

/// The network and the records of `examples/digits`.
fn digits() -> (Circuit, Assignments) {
    let file = |name: &str| {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/digits");
        std::fs::read(path.join(name)).unwrap()
    };
    let network: Network = serde_json::from_slice(&file("model.json")).unwrap();
    let records: Vec<Vec<i64>> = serde_json::from_slice(&file("records.json")).unwrap();
    (network.circuit(records.len()).unwrap(), network.assignments(&records))
}

/// With edaBits, everything is reserved at once, however many widths there are.
#[test]
fn edabits_in_a_circuit_are_reserved_exactly() {
    let (circuit, private) = digits();
    let statement = Statement::new(&circuit, &values(&[])).unwrap();
    let witness = statement.witness(&private).unwrap();
    for (converter, most) in [(Converter::EdaBits, 250_000), (Converter::GENERATOR, 200_000)] {
        let costs = |channel: &wire::Channel| {
            (channel.turns(), channel.bytes_sent() + channel.bytes_received())
        };
        let (prover, verifier) = run(
            None,
            |channel| {
                Prover::run(channel, converter, b"", &mut rng(1), |prover| {
                    statement.run(prover, Some(&witness))?;
                    let (made, left) = (prover.made(), prover.unused());
                    assert!(
                        made.0 >= left.0 as u64 && made.1 > left.1 as u64,
                        "{made:?}, {left:?}"
                    );
                    Ok(left)
                })
                .map(|left| (left, costs(channel)))
            },
            |channel| {
                Verifier::run(channel, converter, b"", &mut rng(2), |verifier| {
                    statement.run(verifier, None)
                })
                .map(|_| costs(channel))
            },
        );
        let ((bits, _), (turns, bytes)) = prover.unwrap();
        let (other_turns, _) = verifier.unwrap();
        // Values come in powers of two here, bits to the last one.
        assert!(converter != Converter::EdaBits || bits == 0, "{bits} bits are left");
        assert!(turns <= 7 && other_turns <= 7, "{converter:?}: {turns}, {other_turns}");
        assert!(bytes <= most, "{converter:?}: {bytes}");
    }
}
