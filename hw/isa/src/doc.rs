// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Prints `docs/contract/isa.md` from the field table. The file is committed; a test compares it with this text.

use super::asm::syntax;
use super::fields::{Field, FormRow, Kind, DECODED_BITS, FIELDS, FORMS, OPTYPES};
use super::ids::{FieldId, InstrForm};
use super::mnemonic::{with_flags, ALIASES};
use std::fmt::Write;

const HEAD: &str = "<!-- Printed from hw/isa/src/fields.rs; `BLESS=1 cargo test -p bcu-hw isa_doc` regenerates it. -->

# The BCU instruction word

A word has 128 bits. At the instruction port of `bcu` and in every table here it is four 32-bit numbers, bits 31:0 first.
";

const TEXT: &str = "
## Assembly

`[@[!]P] MNEMONIC operand, operand … [;]`, one instruction. Numbers are unsigned, decimal or with `0x`; registers are `R0` to
`R254` and `RZ`; predicates are `P0` to `P6` and `PT`. Mnemonics and registers are in upper case. Comments are `// …`, `# …`
and `/* … */`.

- An id is 0 to 15. A count is in threads, at most 4095, and a multiple of the warp's lanes (32 unless the machine
  sets another number). `BAR.ARV` needs a count above 0; 0 means all live warps of the CTA.
- A count left out is 0: `BAR.SYNC 0x1`, `BAR.SYNC R4`, `BAR.RED.OR 0x0, P0`.
- `BAR.RED.AND R4, P0` is the packed form: R4 holds the id in its lowest 4 bits and the count in 12 bits above
  (from bit `pack_lsb` of the hardware configuration, 4 by default). Register id and count 0 is `BAR.RED.AND R4, 0x0, P0`.
  `BAR.RED.AND R5, R5, P0` is the packed form as well; two different registers have no encoding and are an error.
- `BAR.SYNC R4, R5` takes the id from R4 and the count from R5. The same register twice is legal and gets a warning: the lowest
  4 bits of a multiple of 32 are 0, so the id would be 0 for every legal count of 32-lane warps.
- `B2R.RESULT R4` leaves out the predicate (PT). `B2R.WARP R4` and `R2B.WARP R4` leave out the id, which has no effect in WARP mode.
- `FENCE.MEM` has no operands. Any executing lane acts for the whole warp, which resumes when all its loads, stores and atomics
  before the fence are performed and its arrivals before the fence have taken effect.
- `MBAR` instructions address an mbarrier by its shared address: `[R4]`, or `[R4+8]` with an offset of at most 65535. The
  number after it is the number of arrivals (1 to 65535), or of completed or expected bytes, of each executing lane; larger numbers
  are in a register. The lanes of an instruction must agree in address and number, those of a wait in address and phase bit.
- `MBAR.ARRIVE R6, [R4], 1` writes the token, the previous word, to R6 and R7; `RZ` discards the token, and R254 gets a warning, because
  the high word would go to RZ. The number is a number of arrivals; in the modes that end in `EXPECT` it is a number of bytes, and the
  lane arrives once.
- `RELAXED` and `CLUSTER` follow the mode, in this order: `MBAR.DROP.EXPECT.RELAXED.CLUSTER RZ, [R4], R5`.
- `MBAR.TEST P0, [R4], R7` tests whether the phase in bit 31 of R7, the high word of a token, is complete; `MBAR.TEST.PARITY` tests
  the phase of the parity in bit 0. `MBAR.TRY` may wait for the phase; its hint, in units of 64 cycles, is 0 (no hint) if omitted.
- `NBAR.SIGNAL 3, 8` is Intel's baseline form: 8 threads, each producer and consumer; `NBAR.SIGNAL 3, 1, 4, 2` has id, type (0 producer and consumer, 1 producer,
  2 consumer), number of producers and number of consumers; `NBAR.SIGNAL R4` takes all of these from the message in R4: bits 31:24 number of consumers, 23:16 number
  of producers, 15:14 type, 7:0 id. `NBAR.WAIT 3` and `NBAR.WAIT R4` wait for the notification. Any executing lane acts for the whole hardware thread.
- Control words after the operands (`$sched`, `$req`, `$wsb`) have no field in the word: they are ignored with a warning.

The disassembler always writes mode, id, count and hint, and an offset that is not 0. An illegal word is printed as `illegal 0x…: reason`.
";

const NVIDIA: &str = "
## Not binary compatible with NVIDIA hardware

Field positions are those of the instruction set document, not NVIDIA's; the numbers of `BAR`, `B2R` and `R2B` and the source
types of `BAR` are NVIDIA's, so that a reader of both recognises them. `BAR_RED` and `B2R_RESULT` are operation types here and
modes of `BAR` and `B2R` there; their numbers are this project's own. Do not execute a word of one on the other. For
comparison, the encodings that public disassemblers show for sm_75 to sm_100:

| | here | NVIDIA |
|---|---|---|
";

/// The paragraph before the names of this project's own operation types.
const PROJECT_ENCODINGS: &str = "
Operation types 0xe0 to 0xef are this project's own encoding, for operations without an instruction in the instruction set document: MBAR
0xe0 (and 0xe8 to 0xec), CLUSTER 0xe1, GRID 0xe2, FENCE 0xe3, NBAR 0xe4 and 0xe5; none of them equals a number above. Implemented:
";

/// Each row: name, this project's field (`None`: the ignored bits), NVIDIA's text.
const COMPARED: [(&str, Option<FieldId>, &str); 12] = [
    ("barrier id", Some(FieldId::Barid), "[57:54]"),
    ("count", Some(FieldId::Cnt), "[53:42]"),
    ("mode of BAR", Some(FieldId::BarMode), "[79:77]: SYNC 0, ARV 1, RED 2, SCAN 3, SYNCALL 4"),
    ("reduction", Some(FieldId::Redop), "[75:74]: POPC 0, AND 1, OR 2"),
    ("reduced predicate", Some(FieldId::Pp), "[89:87]"),
    ("its negation", Some(FieldId::PpNot), "[90]"),
    ("mode of B2R, R2B", Some(FieldId::B2rMode), "[79:78]: BAR 0, RESULT 1, WARP 2"),
    ("destination predicate", Some(FieldId::Pu), "[83:81]"),
    ("destination register", Some(FieldId::Rd), "[23:16]"),
    ("register with id, or id and count", Some(FieldId::Rb), "[39:32]"),
    ("guard", Some(FieldId::Pg), "[14:12], negation [15]"),
    ("control (stall, scoreboards)", None, "[125:105]"),
];

/// The whole of `docs/contract/isa.md`.
pub fn markdown() -> String {
    let mut out = String::from(HEAD);
    codes(&mut out);
    fields(&mut out);
    forms(&mut out);
    out.push_str(TEXT);
    let list = |names: Vec<String>| names.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ");
    let aliases: Vec<String> = ALIASES.iter().map(|(a, b)| format!("`{a}` = `{b}`")).collect();
    let _ = write!(out, "\nMnemonics: {}. Aliases: {}.\n", list(with_flags()), aliases.join(", "));
    out.push_str(NVIDIA);
    for (name, ours, theirs) in COMPARED {
        let ours = ours.map_or(format!("[127:{DECODED_BITS}], ignored"), |id| {
            let values = values(id.field());
            format!("{}{}{values}", id.field().range(), if values.is_empty() { "" } else { ": " })
        });
        let _ = writeln!(out, "| {name} | {ours} | {theirs} |");
    }
    out.push_str("| packed register | id R[3:0], count R[15:4] (`pack_lsb` 4) | id R[3:0], count R[27:16] (`pack_lsb` 16) |\n");
    out
}

fn values(field: &Field) -> String {
    match field.kind {
        Kind::Choice(names) => names.iter().enumerate().map(|(i, n)| format!("{n} {i}")).collect::<Vec<_>>().join(", "),
        _ => String::new(),
    }
}

fn codes(out: &mut String) {
    out.push_str("\n## Operation types and source types\n\n| optype | number | forms: source type |\n|---|---|---|\n");
    for row in &OPTYPES {
        let forms: Vec<String> = FORMS
            .iter()
            .filter(|f| f.optype == row.optype)
            .map(|f| format!("{}: {} = {:#x}", f.name, f.stype.0, f.stype.1))
            .collect();
        let _ = writeln!(out, "| {} | {:#04x} | {} |", row.name, row.code, forms.join("; "));
    }
    out.push_str("\nAny other pair is an illegal instruction.\n");
    let own: Vec<&str> = OPTYPES.iter().filter(|row| row.optype.is_own()).map(|row| row.name).collect();
    let _ = write!(out, "{PROJECT_ENCODINGS}{}.\n", own.join(", "));
}

fn fields(out: &mut String) {
    out.push_str("\n## Fields\n\n| bits | field | forms | meaning |\n|---|---|---|---|\n");
    for field in &FIELDS {
        let names: Vec<&str> = field.forms.iter().map(|f: &InstrForm| f.row().name).collect();
        let forms = if names.len() == FORMS.len() { "all".to_string() } else { names.join(", ") };
        let values = values(field);
        let values = if values.is_empty() { values } else { format!(" ({values})") };
        let _ = writeln!(out, "| {} | {} | {forms} | {}{values} |", field.range(), field.name, field.doc);
    }
    let last = DECODED_BITS - 1;
    let _ = writeln!(
        out,
        "\nBits [127:{DECODED_BITS}] are ignored. A word is illegal if a bit of [{last}:0] outside the fields of its form is set, or if `redop`\n\
         or `mode` has a number without a name. The highest number of a register field is RZ (reads as 0, ignores writes), the highest\n\
         of a predicate field is PT (always true, ignores writes). Values of enumerations are numbered in the order of their\n\
         declaration in the instruction set document."
    );
}

fn forms(out: &mut String) {
    out.push_str("\n## Forms\n\n| form | operands | bits that may be set | fixed bits [11:0] |\n|---|---|---|---|\n");
    for FormRow { form, name, .. } in &FORMS {
        let (mask, fixed) = (form.allowed_mask(), form.fixed().1);
        let operands = syntax(*form);
        let operands = if operands.is_empty() { "none".to_string() } else { format!("`{operands}`") };
        let _ = writeln!(out, "| {name} | {operands} | `{mask:#034x}` | `{fixed:#05x}` |");
    }
}
