//! Standard functions as Bristol Fashion files, written here gate by gate: read, compared with the
//! standards, and proven.

mod aes;
mod sha256;

use vole::circuit::Value;

/// Lines of a file.
struct File {
    lines: Vec<String>,
    wires: usize,
}

impl File {
    /// The first wires are `inputs` bits.
    fn with_inputs(inputs: usize) -> Self {
        Self { lines: Vec::new(), wires: inputs }
    }

    fn gate(&mut self, operands: &[usize], name: &str) -> usize {
        let read: Vec<_> = operands.iter().map(ToString::to_string).collect();
        self.lines.push(format!("{} 1 {} {} {name}", operands.len(), read.join(" "), self.wires));
        self.wires += 1;
        self.wires - 1
    }

    fn xor(&mut self, a: usize, b: usize) -> usize {
        self.gate(&[a, b], "XOR")
    }

    /// The file, with the lines of its header that say what inputs and outputs are.
    fn written(&self, inputs: &str, outputs: &str) -> String {
        let Self { lines, wires } = self;
        format!("{} {wires}\n{inputs}\n{outputs}\n\n{}\n", lines.len(), lines.join("\n"))
    }
}

/// Bits, the lowest of the first byte first.
fn bits(bytes: &[u8]) -> Value {
    let bits = bytes.iter().flat_map(|byte| (0..8).map(move |i| i64::from(byte >> i & 1)));
    Value::List(bits.collect())
}
