//! Bristol Fashion, the text format of circuits over bits.
//!
//! A header of three lines: gates and wires; the number of inputs, and the bits of each; the same for
//! the outputs. Then a line for each gate: how many wires it reads and makes, these wires, and `XOR`,
//! `AND`, `INV`, `EQ` (a constant), `EQW` (a copy) or `MAND` (several ANDs: all left operands, then
//! all right ones). Inputs are the first wires, outputs the last.

use super::{
    BitWire, Builder, Circuit, CircuitError, MAX_GATES, MAX_PORTS, ReadError, Wires, lines::Line,
};

impl Circuit {
    /// Reads a Bristol Fashion file. Its inputs are named `in0`, `in1`, ..., its outputs `out0`, ...;
    /// the bits of each, lowest wire first.
    ///
    /// # Errors
    /// [`ReadError`]; the counts of the header must be right, and every wire made once, before it is
    /// read.
    pub fn from_bristol(text: &str) -> Result<Self, ReadError> {
        let mut lines = text.lines().zip(1..).map(|(text, number)| Line::new(number, text));
        let mut header = lines.by_ref().filter(|line| !line.is_blank());
        let missing = || Line::new(text.lines().count() + 1, "");

        // A header that ends too early is read as lines without words, which are refused.
        let mut line = header.next().unwrap_or_else(missing);
        let gates: usize = line.number("the number of gates")?;
        let wires: usize = line.number("the number of wires")?;
        line.end()?;
        let mut reader = Reader::default();
        let mut line = header.next().unwrap_or_else(missing);
        let inputs = ports(&mut line)?;
        let first_made: usize = inputs.iter().sum();
        // A wire that a gate makes is named in the file: this claims no memory that the file did not.
        if gates > MAX_GATES || wires < first_made || wires - first_made > text.len() {
            let reason = format!("no {wires} wires with {gates} gates in a file of this size");
            return Err(line.error(CircuitError::Contradiction(reason)));
        }
        reader.wires.reserve_exact(wires);
        for (number, &count) in inputs.iter().enumerate() {
            let bits = reader.builder.bits(&format!("in{number}"), count);
            reader.wires.extend(bits.map_err(|error| line.error(error))?.into_iter().map(Some));
        }
        reader.wires.resize(wires, None);
        let mut line = header.next().unwrap_or_else(missing);
        let outputs = ports(&mut line)?;
        let last: usize = outputs.iter().sum();
        let Some(mut first) = wires.checked_sub(last) else {
            let reason = format!("{last} output bits of {wires} wires");
            return Err(line.error(CircuitError::Contradiction(reason)));
        };

        let mut found = 0;
        for mut line in lines.filter(|line| !line.is_blank()) {
            found += 1;
            if found > gates {
                let reason = format!("the header says {gates} gates, and this is one more");
                return Err(line.error(CircuitError::Contradiction(reason)));
            }
            reader.gate(&mut line)?;
        }
        let end = missing();
        if found < gates {
            let reason = format!("the header says {gates} gates, and these are {found}");
            return Err(end.error(CircuitError::Contradiction(reason)));
        }
        for (number, count) in outputs.into_iter().enumerate() {
            let bits = (first..first + count).map(|wire| reader.made(&end, wire));
            let bits = bits.collect::<Result<_, _>>()?;
            let output = reader.builder.output(&format!("out{number}"), Wires::Bits(bits));
            output.map_err(|error| end.error(error))?;
            first += count;
        }
        Ok(reader.builder.finish())
    }
}

/// The bits of each input or output.
fn ports(line: &mut Line<'_>) -> Result<Vec<usize>, ReadError> {
    let count: usize = line.number("the number of inputs or outputs")?;
    let mut sizes = Vec::new();
    let mut sum = 0usize;
    for _ in 0..count {
        let size = line.number("a number of bits")?;
        sum = sum.saturating_add(size);
        if sum > MAX_PORTS {
            let error =
                CircuitError::TooMany { what: "bits of inputs or outputs", limit: MAX_PORTS };
            return Err(line.error(error));
        }
        sizes.push(size);
    }
    line.end()?;
    Ok(sizes)
}

#[derive(Default)]
struct Reader {
    builder: Builder,
    /// For each of the file's wires, ours, once it is made.
    wires: Vec<Option<BitWire>>,
}

impl Reader {
    fn made(&self, line: &Line<'_>, wire: usize) -> Result<BitWire, ReadError> {
        let made = self.wires.get(wire).copied().flatten();
        made.ok_or_else(|| line.error(CircuitError::Wire(wire.to_string())))
    }

    fn operand(&self, line: &mut Line<'_>) -> Result<BitWire, ReadError> {
        let wire = line.number("a wire")?;
        self.made(line, wire)
    }

    /// Names what a gate made.
    fn result(
        &mut self,
        line: &Line<'_>,
        wire: usize,
        made: Result<BitWire, CircuitError>,
    ) -> Result<(), ReadError> {
        let made = made.map_err(|error| line.error(error))?;
        let reason = match self.wires.get_mut(wire) {
            Some(place @ None) => {
                *place = Some(made);
                return Ok(());
            }
            Some(Some(_)) => format!("wire {wire} is made already"),
            None => format!("the header has no wire {wire}"),
        };
        Err(line.error(CircuitError::Contradiction(reason)))
    }

    fn gate(&mut self, line: &mut Line<'_>) -> Result<(), ReadError> {
        let reads: usize = line.number("how many wires the gate reads")?;
        let makes: usize = line.number("how many wires the gate makes")?;
        let name = line.last();
        let arity = match name {
            "XOR" | "AND" => (2, 1),
            "INV" | "EQ" | "EQW" => (1, 1),
            "MAND" if makes > 0 => (makes.saturating_mul(2), makes),
            _ => {
                return Err(
                    line.unexpected("XOR, AND, INV, EQ, EQW or MAND at the end", Some(name))
                );
            }
        };
        if (reads, makes) != arity {
            let reason = format!("{name} is no gate that reads {reads} and makes {makes}");
            return Err(line.error(CircuitError::Contradiction(reason)));
        }
        if name == "EQ" {
            let constant = match line.expect("0 or 1")? {
                "0" => false,
                "1" => true,
                other => return Err(line.unexpected("0 or 1", Some(other))),
            };
            let wire = line.number("a wire")?;
            let made = self.builder.bit(constant);
            self.result(line, wire, made)?;
        } else {
            // As many as the line has words, whatever it claims.
            let mut operands = Vec::new();
            for _ in 0..reads {
                operands.push(self.operand(line)?);
            }
            for place in 0..makes {
                let wire = line.number("a wire")?;
                let made = self.compute(name, operands.get(place), operands.get(place + makes));
                self.result(line, wire, made)?;
            }
        }
        match line.expect("the gate's name")? {
            word if word == name => line.end(),
            word => Err(line.unexpected("the gate's name", Some(word))),
        }
    }

    fn compute(
        &mut self,
        name: &str,
        a: Option<&BitWire>,
        b: Option<&BitWire>,
    ) -> Result<BitWire, CircuitError> {
        match (name, a, b) {
            ("XOR", Some(a), Some(b)) => self.builder.xor(*a, *b),
            ("AND" | "MAND", Some(a), Some(b)) => self.builder.and(*a, *b),
            ("INV", Some(a), _) => self.builder.not(*a),
            (_, Some(a), _) => Ok(*a),
            _ => Err(CircuitError::Wire("none".into())),
        }
    }
}
