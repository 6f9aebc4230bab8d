//! Quantised neural networks: fully connected layers, the last of which names a class.

use serde::{Deserialize, Serialize};
use zeroize::Zeroize;

use super::{Assignments, Builder, Circuit, CircuitError, IntWire, Value, Wires};

/// A network of signed fixed-point numbers, all with the same number of fraction bits f, given as
/// integers `v = x 2^f`. A layer turns x into `floor(W x / 2^f) + b`, and into the larger of that and
/// 0 if it rectifies. The class is the place of the largest output.
///
/// ```
/// use vole::circuit::{Layer, Network, Statement, Value};
///
/// // The first class for x > y, the second for x < y.
/// let network = Network {
///     format: Network::FORMAT.into(),
///     fraction: 1,
///     input_width: 8,
///     weight_width: 4,
///     layers: vec![Layer {
///         rectify: false,
///         weights: vec![vec![2, -2], vec![-2, 2]],
///         biases: vec![0, 0],
///     }],
/// };
/// let circuit = network.circuit(2)?;
/// let statement = Statement::new(&circuit, &[("classes".into(), Value::List(vec![0, 1]))].into())?;
/// let witness = statement.witness(&network.assignments(&[vec![5, 3], vec![1, 2]]))?;
/// assert_eq!(statement.contradiction(&witness), None);
/// # Ok::<(), vole::circuit::CircuitError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Network {
    /// [`Network::FORMAT`].
    pub format: String,
    /// f.
    pub fraction: u8,
    /// Bits of each number of a record, its sign among them.
    pub input_width: u8,
    /// Bits of each weight and bias, its sign among them.
    pub weight_width: u8,
    /// The layers, from the inputs on.
    pub layers: Vec<Layer>,
}

/// A layer of a [`Network`]. Erased when dropped.
#[derive(Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Layer {
    /// Whether negative outputs become 0.
    pub rectify: bool,
    /// W: a row for each output, a number for each input.
    pub weights: Vec<Vec<i64>>,
    /// b.
    pub biases: Vec<i64>,
}

impl Drop for Layer {
    fn drop(&mut self) {
        self.weights.zeroize();
        self.biases.zeroize();
    }
}

impl Layer {
    fn inputs(&self) -> usize {
        self.weights.first().map_or(0, Vec::len)
    }
}

impl Network {
    /// The format of a file.
    pub const FORMAT: &str = "subrosa-network/1";

    /// # Errors
    /// [`CircuitError::Contradiction`] if the parts do not fit together.
    fn validate(&self) -> Result<(), CircuitError> {
        let wrong = |reason: String| Err(CircuitError::Contradiction(reason));
        if self.format != Self::FORMAT {
            return wrong(format!("the format is not {}", Self::FORMAT));
        }
        if self.layers.is_empty() {
            return wrong("the network has no layers".into());
        }
        for (number, layer) in (1..).zip(&self.layers) {
            let inputs = layer.inputs();
            let rows = layer.weights.len();
            if inputs == 0 || layer.weights.iter().any(|row| row.len() != inputs) {
                return wrong(format!("layer {number}: rows of weights differ or are empty"));
            }
            if layer.biases.len() != rows {
                return wrong(format!("layer {number}: {} biases", layer.biases.len()));
            }
        }
        for (number, pair) in (2..).zip(self.layers.windows(2)) {
            let [before, layer] = pair else { continue };
            if layer.inputs() != before.biases.len() {
                return wrong(format!("layer {number}: {} inputs", layer.inputs()));
            }
        }
        Ok(())
    }

    /// Numbers of a record.
    pub fn inputs(&self) -> usize {
        self.layers.first().map_or(0, Layer::inputs)
    }

    /// The circuit that classifies so many records, all with the same weights. It depends on the
    /// layers' sizes, but not on the weights. Inputs are `weights1`, `biases1` and so on for each
    /// layer, row by row, and `records`; the output is `classes`.
    ///
    /// # Errors
    /// [`CircuitError::Contradiction`] for a network whose parts do not fit together,
    /// [`CircuitError::Bound`] and [`CircuitError::TooMany`] for one that is too large.
    pub fn circuit(&self, records: usize) -> Result<Circuit, CircuitError> {
        self.validate()?;
        let mut builder = Builder::default();
        let mut model = Vec::new();
        for (number, layer) in (1..).zip(&self.layers) {
            let (inputs, outputs) = (layer.inputs(), layer.biases.len());
            let count = inputs.saturating_mul(outputs);
            let weights = builder.ints(&format!("weights{number}"), self.weight_width, count)?;
            let biases = builder.ints(&format!("biases{number}"), self.weight_width, outputs)?;
            model.push((layer.rectify, inputs, weights, biases));
        }
        let count = records.saturating_mul(self.inputs());
        let numbers = builder.ints("records", self.input_width, count)?;
        let mut values: Vec<Vec<_>> = numbers.chunks(self.inputs()).map(<[_]>::to_vec).collect();
        // Layer by layer for all records, so that gates of a sort stand together.
        for (rectify, inputs, weights, biases) in &model {
            self.layer(&mut builder, &mut values, (weights, *inputs), biases, *rectify)?;
        }
        let mut classes = Vec::new();
        for scores in values {
            let [_, class] = builder.largest(scores)?;
            classes.push(class);
        }
        builder.output("classes", Wires::Ints(classes))?;
        Ok(builder.finish())
    }

    fn layer(
        &self,
        builder: &mut Builder,
        values: &mut [Vec<IntWire>],
        (weights, inputs): (&[IntWire], usize),
        biases: &[IntWire],
        rectify: bool,
    ) -> Result<(), CircuitError> {
        for record in values.iter_mut() {
            let mut sums = Vec::new();
            for row in weights.chunks(inputs) {
                let pairs = row.iter().zip(&*record).map(|(w, x)| [*w, *x]).collect();
                sums.push(builder.dot(pairs, self.fraction)?);
            }
            *record = sums;
        }
        for record in values.iter_mut() {
            for (sum, bias) in record.iter_mut().zip(biases) {
                *sum = builder.add(*sum, *bias)?;
            }
        }
        for number in values.iter_mut().flatten().filter(|_| rectify) {
            *number = builder.relu(*number)?;
        }
        Ok(())
    }

    /// The values of the circuit's inputs: this network's weights, and records.
    pub fn assignments(&self, records: &[Vec<i64>]) -> Assignments {
        let mut values = Assignments::new();
        for (number, layer) in (1..).zip(&self.layers) {
            values.insert(format!("weights{number}"), Value::List(layer.weights.concat()));
            values.insert(format!("biases{number}"), Value::List(layer.biases.clone()));
        }
        values.insert("records".into(), Value::List(records.concat()));
        values
    }
}
