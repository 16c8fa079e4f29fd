//! The control flow of one entry of a PTX text: its instructions with their
//! lines in the text and in the source, and what follows what.
//!
//! Of text that our builder emitted: what stands on one line counts as one instruction, which a
//! mutant replaces as a whole.

use std::collections::{BTreeSet, HashMap};

use ptx_syntax::debug::Locations;

/// Instructions, by their index.
pub type Set = BTreeSet<usize>;

/// A line of the source.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Line {
    /// As the PTX names it.
    pub file: String,
    /// From 1.
    pub line: usize,
}

impl std::fmt::Display for Line {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// One instruction.
#[derive(Clone, Debug)]
pub struct Instruction {
    /// Its line in the PTX text, from 1.
    pub line: usize,
    /// The predicate's register, and whether it is negated.
    pub guard: Option<(String, bool)>,
    /// Without the predicate and the semicolon.
    pub text: String,
    /// The innermost line in the folder `own`, unless the compiler gave none.
    pub source: Option<Line>,
}

impl Instruction {
    /// The opcode with its suffixes.
    pub fn opcode(&self) -> &str {
        self.text.split_whitespace().next().unwrap_or_default()
    }

    /// The operands, in order.
    pub fn operands(&self) -> Vec<&str> {
        let operands = self.text.strip_prefix(self.opcode()).unwrap_or_default();
        operands.split(',').map(str::trim).collect()
    }

    /// Whether one of the dotted words of the opcode is `word`.
    pub fn has(&self, word: &str) -> bool {
        self.opcode().split('.').any(|found| found == word)
    }

    /// The first dotted word of the opcode.
    pub fn head(&self) -> &str {
        self.opcode().split('.').next().unwrap_or_default()
    }

    /// Whether it reads or writes memory that threads share.
    pub fn is_access(&self) -> bool {
        matches!(self.head(), "ld" | "st" | "atom" | "red") && !self.has("param")
    }

    /// Whether threads of the block wait for each other here.
    pub fn is_barrier(&self) -> bool {
        matches!(self.head(), "bar" | "barrier") && !self.has("warp")
    }

    /// Whether nothing of the entry follows it.
    fn ends(&self) -> bool {
        self.guard.is_none() && matches!(self.head(), "ret" | "exit" | "trap" | "trap;")
    }

    fn is_trap(&self) -> bool {
        self.guard.is_none() && self.text.starts_with("trap")
    }
}

/// The instructions of an entry as a graph.
#[derive(Clone, Debug)]
pub struct Flow {
    /// In the order of the text.
    pub instructions: Vec<Instruction>,
    /// What may come after each.
    pub next: Vec<Vec<usize>>,
    dominators: Vec<Set>,
    postdominators: Vec<Set>,
    /// By its head.
    loops: HashMap<usize, Set>,
}

impl Flow {
    /// Reads a text that has one entry; `own` is the folder of the source that
    /// lines are wanted of.
    ///
    /// # Errors
    ///
    /// Text that is not PTX; a branch whose target is not there.
    pub fn read(text: &str, own: &str) -> Result<Flow, String> {
        let mut labels = HashMap::new();
        let mut instructions = Vec::new();
        let sources = sources(text, own)?;
        let mut inside = false;
        for (index, whole) in text.lines().enumerate() {
            let line = whole
                .split_once("//")
                .map_or(whole, |(code, _)| code)
                .trim();
            if !inside {
                inside = line == "{";
                continue;
            }
            if line == "}" {
                break;
            }
            if let Some(label) = line.strip_suffix(':') {
                labels.insert(label.to_owned(), instructions.len());
            } else if !line.is_empty() && !line.starts_with('.') {
                let (guard, text) = match line.strip_prefix('@').map(|l| l.split_once([' ', '\t']))
                {
                    Some(Some((guard, rest))) => {
                        let register = guard.trim_start_matches('!');
                        (Some((register.to_owned(), guard.starts_with('!'))), rest)
                    }
                    _ => (None, line),
                };
                instructions.push(Instruction {
                    line: index + 1,
                    guard,
                    text: text.trim().trim_end_matches(';').to_owned(),
                    source: sources.get(&(index + 1)).cloned(),
                });
            }
        }
        let mut next = Vec::new();
        for (index, instruction) in instructions.iter().enumerate() {
            let mut after = Vec::new();
            let branches = instruction.head() == "bra";
            let leaves = branches && instruction.guard.is_none();
            if !(leaves || instruction.ends()) {
                after.push(index + 1);
            }
            if branches {
                let target = instruction.operands().first().copied().unwrap_or_default();
                let target = labels.get(target).copied();
                after.push(target.ok_or_else(|| format!("no label of `{}`", instruction.text))?);
            }
            after.retain(|&to| to < instructions.len());
            next.push(after);
        }
        let before = reversed(&next);
        let mut flow = Flow {
            dominators: dominators(&before, |index| index == 0),
            postdominators: Vec::new(),
            loops: HashMap::new(),
            instructions,
            next,
        };
        let ends = |index: usize| {
            let last: &Instruction = &flow.instructions[index];
            flow.next[index].is_empty() && !last.is_trap()
        };
        flow.postdominators = dominators(&flow.next, ends);
        flow.loops = flow.loops(&before);
        Ok(flow)
    }

    /// The branch's target and what follows when it is not taken; `None` for
    /// what is no conditional branch.
    pub fn branch(&self, index: usize) -> Option<(usize, usize)> {
        let instruction = &self.instructions[index];
        match (
            instruction.head(),
            &instruction.guard,
            &self.next[index][..],
        ) {
            ("bra", Some(_), &[fall, target]) => Some((target, fall)),
            _ => None,
        }
    }

    /// Where the two sides of a branch meet again, unless by ending.
    pub fn join(&self, branch: usize) -> Option<usize> {
        let after = &self.postdominators[branch];
        // The nearest has all others after it.
        let others = |index: &usize| self.postdominators[*index].len();
        after
            .iter()
            .copied()
            .filter(|&index| index != branch)
            .max_by_key(others)
    }

    /// Whether all ways from here end in a trap.
    pub fn traps(&self, from: usize) -> bool {
        let all = self.region(&[from], |_| false);
        all.iter()
            .all(|&index| !self.next[index].is_empty() || self.instructions[index].is_trap())
    }

    /// What is reached from `from`, these included, without going through an
    /// instruction that `stops`.
    pub fn region(&self, from: &[usize], stops: impl Fn(usize) -> bool) -> Set {
        reached(&self.next, from, stops)
    }

    /// What leads to `from` without going through an instruction that `stops`.
    pub fn leading(&self, from: usize, stops: impl Fn(usize) -> bool) -> Set {
        let before = reversed(&self.next);
        reached(&before, &before[from].clone(), stops)
    }

    /// The innermost loop that has this instruction.
    pub fn innermost_loop(&self, index: usize) -> Option<&Set> {
        let around = self.loops.values().filter(|body| body.contains(&index));
        around.min_by_key(|body| body.len())
    }

    /// What leads to a jump back to an instruction that all of it goes through.
    fn loops(&self, before: &[Vec<usize>]) -> HashMap<usize, Set> {
        let mut loops: HashMap<usize, Set> = HashMap::new();
        for (from, after) in self.next.iter().enumerate() {
            let is_head = |head: &&usize| self.dominators[from].contains(head);
            for &head in after.iter().filter(is_head) {
                let mut body = reached(before, &[from], |at| at == head);
                body.insert(head);
                loops.entry(head).or_default().extend(body);
            }
        }
        loops
    }
}

fn reversed(next: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut before = vec![Vec::new(); next.len()];
    for (from, after) in next.iter().enumerate() {
        after.iter().for_each(|&to| before[to].push(from));
    }
    before
}

fn reached(next: &[Vec<usize>], from: &[usize], stops: impl Fn(usize) -> bool) -> Set {
    let mut found = Set::new();
    let mut open = from.to_vec();
    while let Some(index) = open.pop() {
        if !stops(index) && found.insert(index) {
            open.extend(&next[index]);
        }
    }
    found
}

/// What every way from a root to an instruction goes through, itself included;
/// `before` leads back to the roots.
fn dominators(before: &[Vec<usize>], is_root: impl Fn(usize) -> bool) -> Vec<Set> {
    // A bit an instruction: an entry has thousands, and a row is replaced many times.
    let (count, words) = (before.len(), before.len().div_ceil(64));
    let only = |index: usize| {
        let mut row = vec![0_u64; words];
        row[index / 64] |= 1 << (index % 64);
        row
    };
    let first = |index| match is_root(index) {
        true => only(index),
        false => vec![u64::MAX; words],
    };
    let mut rows: Vec<Vec<u64>> = (0..count).map(first).collect();
    let (mut forwards, mut changed) = (false, true);
    while changed {
        (forwards, changed) = (!forwards, false);
        for step in 0..count {
            let index = if forwards { step } else { count - 1 - step };
            // What no root leads to keeps all of them.
            if is_root(index) || before[index].is_empty() {
                continue;
            }
            let own = only(index);
            let common = |word: usize| {
                let among = before[index].iter().map(|&from| rows[from][word]);
                among.fold(u64::MAX, |common, row| common & row) | own[word]
            };
            let row: Vec<u64> = (0..words).map(common).collect();
            changed |= row != rows[index];
            rows[index] = row;
        }
    }
    let set = |row: &Vec<u64>| {
        let has = |index: &usize| row[index / 64] >> (index % 64) & 1 == 1;
        (0..count).filter(has).collect()
    };
    rows.iter().map(set).collect()
}

/// The innermost line of the source in the folder `own`, by the line of the PTX text, from 1.
fn sources(text: &str, own: &str) -> Result<HashMap<usize, Line>, String> {
    let module = ptx_syntax::parse(text).map_err(|error| error.to_string())?;
    let mut locations = Locations::new(&module);
    let mut found = HashMap::new();
    for function in module.functions() {
        for (statement, location) in locations.of(function) {
            let mut lines = location.into_iter().flat_map(|at| locations.lines(at));
            if let Some(line) = lines.find(|line| line.file.starts_with(own)) {
                let line = Line {
                    file: line.file.to_owned(),
                    line: line.line as usize,
                };
                found.insert(statement.span.position.line as usize, line);
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two checks of which one is a diamond, in a loop; a stop behind it.
    const TEXT: &str = "\
.version 8.0
.visible .entry walk()
{
	.reg .pred %p<4>;
	.loc	1 10 0
	mov.u32 %r1, %tid.x;
$L__TOP:
	.loc	1 11 5
	@%p1 bra $L__ELSE;
	.loc	2 50 1, function_name $L__info_string0, inlined_at 1 12 7
	ld.shared.b32 %r2, [%rd1];
	bra.uni $L__JOIN;
$L__ELSE:
	.loc	1 13 7
	ld.shared.b32 %r2, [%rd2];
$L__JOIN:
	.loc	1 0 7
	bar.sync 0;
	.loc	2 51 1
	@%p2 bra $L__TOP;
	.loc	1 15 0
	@!%p3 bra $L__WORK;
	trap; exit;
$L__WORK:
	.loc	1 16 0
	st.global.b32 [%rd3], %r2;
	ret;
}
	.file	1 \"./own/a.rs\"
	.file	2 \"/elsewhere/b.rs\"
";

    fn read() -> Flow {
        Flow::read(TEXT, "./own/").expect("the text is well formed")
    }

    #[test]
    fn lines_are_the_innermost_of_the_own_folder() {
        let lines: Vec<usize> = read()
            .instructions
            .iter()
            .map(|i| i.source.as_ref().map_or(0, |source| source.line))
            .collect();
        // The compiler's own (0) and another folder's have none.
        assert_eq!(lines, [10, 11, 12, 12, 13, 0, 0, 15, 15, 16, 16]);
    }

    #[test]
    fn a_numbered_call_leads_to_the_own_line_that_it_was_inlined_at() {
        let text = TEXT.replace("2 51 1\n", "2 51 0 //2\n");
        let text = format!("{text}//.call 1 1 14\n//.call 2 2 60 1\n");
        let flow = Flow::read(&text, "./own/").expect("the text is well formed");
        let line = flow.instructions[6]
            .source
            .as_ref()
            .map(|source| source.line);
        assert_eq!(line, Some(14));
    }

    #[test]
    fn branches_have_two_sides_that_join() {
        let flow = read();
        assert_eq!(flow.branch(1), Some((4, 2)));
        assert_eq!(flow.join(1), Some(5));
        assert_eq!(flow.region(&[2], |at| at == 5), Set::from([2, 3]));
        assert_eq!(flow.branch(3), None, "it has no condition");
    }

    #[test]
    fn a_loop_is_what_leads_back_to_its_head() {
        let flow = read();
        assert_eq!(flow.innermost_loop(5), Some(&(1..=6).collect()));
        assert_eq!(flow.innermost_loop(7), None);
        let before = flow.leading(5, |at| at == 5);
        assert_eq!(before, Set::from([0, 1, 2, 3, 4, 6]));
    }

    #[test]
    fn a_stop_is_no_way_on() {
        let flow = read();
        assert!(flow.traps(8) && !flow.traps(9));
        assert_eq!(flow.join(7), Some(9));
        let missing = TEXT.replace("$L__WORK:", "");
        assert!(Flow::read(&missing, "./own/").is_err());
    }
}
