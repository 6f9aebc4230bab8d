//! The text format of circuits over bits and integers: `docs/formats/vole-circuit.md`.

use std::collections::HashMap;

use super::{
    BitWire, Builder, Circuit, CircuitError, IntWire, MAX_PORTS, ReadError, Wires, lines::Line,
};

/// The first line.
pub(super) const HEADER: &str = "subrosa-circuit 1";

/// Consecutive wires under a name.
#[derive(Clone, Copy)]
struct Group {
    is_bits: bool,
    first: usize,
    count: usize,
}

#[derive(Default)]
struct Parser {
    builder: Builder,
    names: HashMap<String, Group>,
}

impl Circuit {
    /// Reads a file of either format: the text format says in its first word what it is, and
    /// everything else is Bristol Fashion.
    ///
    /// # Errors
    /// [`ReadError`].
    pub fn read(text: &str) -> Result<Self, ReadError> {
        let mut words = text.lines().filter(|line| !line.trim_start().starts_with('#'));
        let first = words.find_map(|line| line.split_whitespace().next());
        match first {
            Some("subrosa-circuit") => Self::from_text(text),
            _ => Self::from_bristol(text),
        }
    }

    /// Reads a circuit in the text format.
    ///
    /// # Errors
    /// [`ReadError`], with the place of the first mistake.
    pub fn from_text(text: &str) -> Result<Self, ReadError> {
        let mut lines = text.lines().zip(1..).map(|(text, number)| {
            let code = text.split_once('#').map_or(text, |(code, _)| code);
            Line::new(number, code)
        });
        let mut lines = lines.by_ref().filter(|line| !line.is_blank());
        // A text without lines is read as an empty one, which lacks the header.
        let mut header = lines.next().unwrap_or_else(|| Line::new(1, ""));
        if header.expect(HEADER)? != "subrosa-circuit" || header.number::<u8>(HEADER)? != 1 {
            return Err(header.unexpected(HEADER, Some(header.last())));
        }
        header.end()?;
        let mut parser = Parser::default();
        for mut line in lines {
            parser.statement(&mut line)?;
        }
        Ok(parser.builder.finish())
    }
}

impl Parser {
    fn statement(&mut self, line: &mut Line<'_>) -> Result<(), ReadError> {
        match line.expect("a statement")? {
            "input" => self.input(line),
            "output" => {
                let name = line.expect("a name")?;
                let wires = self.wires(line, None)?;
                self.builder.output(name, wires).map_err(|error| line.error(error))
            }
            "assert_zero" => match self.wires(line, None)? {
                Wires::Bits(wires) => {
                    wires.into_iter().try_for_each(|wire| self.builder.assert_zero_bit(wire))
                }
                Wires::Ints(wires) => {
                    wires.into_iter().try_for_each(|wire| self.builder.assert_zero(wire))
                }
            }
            .map_err(|error| line.error(error)),
            "assert_equal" => self.assert_equal(line),
            word => self.definition(line, word),
        }
    }

    fn input(&mut self, line: &mut Line<'_>) -> Result<(), ReadError> {
        let name = line.expect("a name")?;
        let is_bits = match line.expect("`bits` or `int`")? {
            "bits" => true,
            "int" => false,
            other => return Err(line.unexpected("`bits` or `int`", Some(other))),
        };
        let width: u8 = if is_bits { 1 } else { line.number("the bits of an integer")? };
        let count = match line.clone().next() {
            Some(_) => line.number("how many")?,
            None => 1,
        };
        line.end()?;
        let first = match is_bits {
            true => self.builder.bits(name, count).map(|bits| bits.first().map(|b| b.index())),
            false => {
                self.builder.ints(name, width, count).map(|ints| ints.first().map(|i| i.index()))
            }
        };
        // Of an input without values no wire is ever named.
        let first = first.map_err(|error| line.error(error))?.unwrap_or(0);
        self.name(line, name, Group { is_bits, first, count })
    }

    fn name(&mut self, line: &Line<'_>, name: &str, group: Group) -> Result<(), ReadError> {
        let is_name = name.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_')
            && name.bytes().next().is_some_and(|c| c.is_ascii_alphabetic() || c == b'_')
            && name.len() <= 64;
        if !is_name {
            return Err(line.error(CircuitError::Name(name.chars().take(64).collect())));
        }
        match self.names.insert(name.into(), group) {
            None => Ok(()),
            Some(_) => Err(line.error(CircuitError::Duplicate(name.into()))),
        }
    }

    /// A gate, with or without names for what it makes.
    fn definition(&mut self, line: &mut Line<'_>, word: &str) -> Result<(), ReadError> {
        let mut names = Vec::new();
        let mut gate = word;
        if line.has("=") {
            names.push(word);
            loop {
                match line.expect("a name or `=`")? {
                    "=" => break,
                    name => names.push(name),
                }
            }
            gate = line.expect("a gate")?;
        }
        let made = self.gate(line, gate)?;
        match made.as_slice() {
            _ if names.is_empty() => Ok(()),
            groups if groups.len() == names.len() => {
                let named = names.into_iter().zip(groups);
                named.into_iter().try_for_each(|(name, group)| self.name(line, name, *group))
            }
            _ => Err(line.unexpected("a name for each result", Some(gate))),
        }
    }

    /// What the gate makes: one group for each result.
    fn gate(&mut self, line: &mut Line<'_>, gate: &str) -> Result<Vec<Group>, ReadError> {
        let bit = |wire: BitWire| vec![Group { is_bits: true, first: wire.index(), count: 1 }];
        let int = |wire: IntWire| vec![Group { is_bits: false, first: wire.index(), count: 1 }];
        let made = match gate {
            "bit" => {
                let value = match line.expect("0 or 1")? {
                    "0" => false,
                    "1" => true,
                    other => return Err(line.unexpected("0 or 1", Some(other))),
                };
                self.builder.bit(value).map(bit)
            }
            "xor" | "and" | "or" => {
                let [a, b] = [self.bit(line)?, self.bit(line)?];
                match gate {
                    "xor" => self.builder.xor(a, b),
                    "and" => self.builder.and(a, b),
                    _ => self.or(a, b),
                }
                .map(bit)
            }
            "not" => {
                let a = self.bit(line)?;
                self.builder.not(a).map(bit)
            }
            "int" => {
                let value = line.number("an integer")?;
                self.builder.int(value).map(int)
            }
            "add" | "sub" | "mul" | "less" => {
                let [a, b] = [self.int(line)?, self.int(line)?];
                match gate {
                    "add" => self.builder.add(a, b),
                    "sub" => self.builder.sub(a, b),
                    "mul" => self.builder.mul(a, b),
                    _ => self.builder.less(a, b),
                }
                .map(int)
            }
            "shift" | "scale" => {
                let (a, by) = (self.int(line)?, line.number("an integer")?);
                match gate {
                    "shift" => self.builder.shift(a, by),
                    _ => self.builder.scale(a, by),
                }
                .map(int)
            }
            "non_negative" | "relu" => {
                let a = self.int(line)?;
                match gate {
                    "relu" => self.builder.relu(a),
                    _ => self.builder.non_negative(a),
                }
                .map(int)
            }
            "dot" => {
                let fraction = line.number("the bits of a fraction")?;
                let [a, b] = [self.ints(line, Some(":"))?, self.ints(line, None)?];
                if a.len() != b.len() {
                    return Err(line.unexpected("as many factors on either side of `:`", None));
                }
                let pairs = a.into_iter().zip(b).map(|(a, b)| [a, b]).collect();
                self.builder.dot(pairs, fraction).map(int)
            }
            "from_bits" => {
                let bits = self.bits(line)?;
                self.builder.from_bits(bits).map(int)
            }
            "to_bits" => {
                let width = line.number("how many bits")?;
                let a = self.int(line)?;
                let bits = self.builder.to_bits(a, width);
                bits.map(|bits| {
                    let first = bits.first().map_or(0, |bit| bit.index());
                    vec![Group { is_bits: true, first, count: bits.len() }]
                })
            }
            "largest" => {
                let of = self.ints(line, None)?;
                self.builder.largest(of).map(|made| made.into_iter().flat_map(int).collect())
            }
            other => return Err(line.unexpected("a statement or a gate", Some(other))),
        };
        let made = made.map_err(|error| line.error(error))?;
        line.end()?;
        Ok(made)
    }

    /// `a + b + a b`.
    fn or(&mut self, a: BitWire, b: BitWire) -> Result<BitWire, CircuitError> {
        let (sum, both) = (self.builder.xor(a, b)?, self.builder.and(a, b)?);
        self.builder.xor(sum, both)
    }

    fn assert_equal(&mut self, line: &mut Line<'_>) -> Result<(), ReadError> {
        let [a, b] = [self.group(line)?, self.group(line)?];
        line.end()?;
        if a.is_bits != b.is_bits || a.count != b.count {
            return Err(line.unexpected("as many wires, of the same kind", Some(line.last())));
        }
        let claim = |place: usize| match a.is_bits {
            true => {
                let [a, b] = [a, b].map(|group| BitWire((group.first + place) as u32));
                let difference = self.builder.xor(a, b)?;
                self.builder.assert_zero_bit(difference)
            }
            false => {
                let [a, b] = [a, b].map(|group| IntWire((group.first + place) as u32));
                let difference = self.builder.sub(a, b)?;
                self.builder.assert_zero(difference)
            }
        };
        (0..a.count).try_for_each(claim).map_err(|error| line.error(error))
    }

    /// A word that names wires: `x`, `x[3]`, `x[3..5]`, `$b3`, `$i3..5`.
    fn group(&self, line: &mut Line<'_>) -> Result<Group, ReadError> {
        let word = line.expect("a wire")?;
        let wrong = || line.error(CircuitError::Wire(word.chars().take(80).collect()));
        let range = |text: &str| -> Option<(usize, usize)> {
            let number = |text: &str| text.parse::<u32>().ok().map(|number| number as usize);
            match text.split_once("..") {
                Some((first, end)) => {
                    let (first, end) = (number(first)?, number(end)?);
                    end.checked_sub(first).map(|count| (first, count))
                }
                None => number(text).map(|first| (first, 1)),
            }
        };
        let numbered = |is_bits, text| {
            let (first, count) = range(text).ok_or_else(wrong)?;
            Ok(Group { is_bits, first, count })
        };
        if let Some(text) = word.strip_prefix("$b") {
            return numbered(true, text);
        }
        if let Some(text) = word.strip_prefix("$i") {
            return numbered(false, text);
        }
        let Some((name, places)) = word.split_once('[') else {
            return self.names.get(word).copied().ok_or_else(wrong);
        };
        let group = self.names.get(name).ok_or_else(wrong)?;
        let places = places.strip_suffix(']').and_then(range);
        let inside = places.filter(|(first, count)| first + count <= group.count);
        let (first, count) = inside.ok_or_else(wrong)?;
        Ok(Group { first: group.first + first, count, ..*group })
    }

    /// The wires that the words up to `end` name.
    fn wires(&self, line: &mut Line<'_>, end: Option<&str>) -> Result<Wires, ReadError> {
        let (mut bits, mut ints) = (Vec::new(), Vec::new());
        loop {
            match line.clone().next() {
                None if end.is_some() => return Err(line.unexpected("`:`", None)),
                None => break,
                word if word == end => {
                    line.next();
                    break;
                }
                Some(_) => {}
            }
            let group = self.group(line)?;
            // A short word may name many wires.
            if bits.len() + ints.len() + group.count > MAX_PORTS {
                let error =
                    CircuitError::TooMany { what: "wires of a statement", limit: MAX_PORTS };
                return Err(line.error(error));
            }
            let wires = group.first as u64..(group.first + group.count) as u64;
            match group.is_bits {
                true => bits.extend(wires.map(|wire| BitWire(wire as u32))),
                false => ints.extend(wires.map(|wire| IntWire(wire as u32))),
            }
        }
        match (bits.is_empty(), ints.is_empty()) {
            (false, false) => Err(line.unexpected("wires of one kind", Some("bits and integers"))),
            (false, true) => Ok(Wires::Bits(bits)),
            (true, _) => Ok(Wires::Ints(ints)),
        }
    }

    fn bits(&self, line: &mut Line<'_>) -> Result<Vec<BitWire>, ReadError> {
        match self.wires(line, None)? {
            Wires::Bits(bits) => Ok(bits),
            Wires::Ints(ints) if ints.is_empty() => Ok(Vec::new()),
            Wires::Ints(_) => Err(line.unexpected("bits", Some("integers"))),
        }
    }

    fn ints(&self, line: &mut Line<'_>, end: Option<&str>) -> Result<Vec<IntWire>, ReadError> {
        match self.wires(line, end)? {
            Wires::Ints(ints) => Ok(ints),
            Wires::Bits(_) => Err(line.unexpected("integers", Some("bits"))),
        }
    }

    fn bit(&self, line: &mut Line<'_>) -> Result<BitWire, ReadError> {
        match self.group(line)? {
            Group { is_bits: true, first, count: 1 } => Ok(BitWire(first as u32)),
            _ => Err(line.unexpected("one bit", Some("something else"))),
        }
    }

    fn int(&self, line: &mut Line<'_>) -> Result<IntWire, ReadError> {
        match self.group(line)? {
            Group { is_bits: false, first, count: 1 } => Ok(IntWire(first as u32)),
            _ => Err(line.unexpected("one integer", Some("something else"))),
        }
    }
}
