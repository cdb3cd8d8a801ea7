// SPDX-License-Identifier: Apache-2.0 OR MIT
//! vISA texts: every form of spec 004, compiler output, and texts with errors, each with its location.

use bcu_isa::instr::{decode, Instr, Op as IsaOp};
use bcu_isa::nbar::{Message, Nbar, Signal, Wait};
use bcu_program::bcu::Parsed;
use bcu_program::visa::parse;
use bcu_program::{Op, WarpProgram};

const SUBGROUPS: &str = include_str!("../../../examples/visa/subgroups.visa");
const VARIABLES: &str = include_str!("../../../examples/visa/variables.visa");

fn ok(text: &str) -> Parsed {
    parse(text, None, 16).unwrap_or_else(|errors| panic!("{errors:#?}\n{text}"))
}

/// The messages of a thread to the gateway, in order, without operands in variables.
fn messages_of(thread: &WarpProgram) -> Vec<Nbar> {
    let of = |op: &Op| match op {
        Op::Word(word) => match decode(word.word) {
            Ok(Instr { op: IsaOp::Nbar(nbar), .. }) => Some(nbar),
            _ => None,
        },
        _ => None,
    };
    thread.function().unwrap().instrs.iter().filter_map(|instr| of(&instr.op)).collect()
}

fn lines(thread: &WarpProgram) -> Vec<&str> {
    let instrs = &thread.function().unwrap().instrs;
    instrs.iter().filter(|instr| !instr.is_untimed).map(|instr| &*instr.place.text).collect()
}

fn baseline(id: u8, threads: u8) -> Nbar {
    Nbar::Signal(Signal::Threads { id, threads })
}

fn general(id: u8, role: u8, producers: u8, consumers: u8) -> Nbar {
    Nbar::Signal(Signal::Message(Message { id, role, producers, consumers }))
}

#[test]
fn signals_and_waits_are_taken_as_the_specification_writes_them() {
    let cases = [
        ("NBARRIER.signal 1 4", baseline(1, 4)),
        ("nbarrier.signal 0x1:ub 0x4:ub", baseline(1, 4)),
        ("    nbarrier.signal 0x1f:ud 255:uw    /// $9", baseline(31, 255)),
        ("NBARRIER.signal 3 0 2 5", general(3, 0, 2, 5)),
        ("nbarrier.signal 3:ub 0x1:uw 2:ub 5:ub", general(3, 1, 2, 5)),
        ("NBARRIER.signal 0 2 1 255 // consumer", general(0, 2, 1, 255)),
        ("NBARRIER.wait 31", Nbar::Wait(Wait::Id(31))),
        ("nbarrier.wait 0x0:ub", Nbar::Wait(Wait::Id(0))),
    ];
    for (text, expected) in cases {
        assert_eq!(messages_of(&ok(text).warps[0]), [expected], "{text}");
    }
    assert_eq!(lines(&ok(cases[2].0).warps[0]), ["nbarrier.signal 0x1f:ud 255:uw"]);
}

#[test]
fn threads_run_sections_and_have_the_statements_of_bcu_assembly() {
    let text =
        ".threads 0, 2 producer\nNBARRIER.signal 1 1 2 1\n.threads 1 consumer\nnbarrier.signal 1 2 2 1\nnbarrier.wait 1\n\
                .threads all\nMOV R4, 3\nLOOP 2\nADD R4, R4, 1\nNOP 3\nEND\nST.SHARED [R4], R4\nFENCE.MEM\nEXIT";
    let parsed = ok(text);
    assert_eq!(
        parsed.warps.iter().map(|thread| thread.name.as_str()).collect::<Vec<_>>(),
        ["producer", "consumer", "producer"]
    );
    assert_eq!(messages_of(&parsed.warps[2]), [general(1, 1, 2, 1)]);
    assert_eq!(messages_of(&parsed.warps[1]), [general(1, 2, 2, 1), Nbar::Wait(Wait::Id(1))]);
    let all = ["MOV R4, 3", "ADD R4, R4, 1", "NOP 3", "ST.SHARED [R4], R4", "FENCE.MEM", "EXIT"];
    assert_eq!(lines(&parsed.warps[0])[1..], all);
    assert_eq!(ok(".group_threads 5\nnbarrier.wait 0").warps.len(), 5);
    assert_eq!(ok("nbarrier.wait 0").warps[0].name, "thread 0");
}

#[test]
fn operands_are_variables_as_well() {
    let text = ".decl ID v_type=G type=ub num_elts=1 align=byte\n.decl TYPE v_type=G type=uw num_elts=1\n.decl N v_type=G type=ub num_elts=1\n\
                mov (M1_NM, 1) ID(0,0)<1> 0x2:ub\nmov (M1, 1) TYPE(0,0)<1> 0x1:uw\nmov (M1_NM, 1) N 4\n\
                xor (M1_NM, 1) ID(0,0)<1> ID(0,0)<0;1,0> 0x3:ub\n\
                nbarrier.signal ID(0,0)<0;1,0> N(0,0)<0;1,0>\nnbarrier.signal ID TYPE N N\nnbarrier.signal 0x2:ub TYPE(0,0)<0;1,0> 0x1:ub N\n\
                nbarrier.wait ID(0,0)<0;1,0>";
    let sent = messages_of(&ok(text).warps[0]);
    let (signals, waits) = sent.split_at(3);
    assert!(signals.iter().all(|signal| matches!(signal, Nbar::Signal(Signal::Packed(_)))), "{sent:?}");
    assert!(matches!(waits, [Nbar::Wait(Wait::Packed(_))]), "{sent:?}");
}

#[test]
fn a_group_has_the_barriers_that_are_declared_or_named() {
    let barriers = |text: &str| ok(text).warps[0].grid.barriers;
    assert_eq!(barriers("nbarrier.wait 4\nNBARRIER.signal 5 1"), Some(6));
    assert_eq!(barriers("LOOP 2\nnbarrier.signal 9 2 1 1\nEND"), Some(10));
    assert_eq!(barriers("NOP"), Some(0));
    assert_eq!(barriers(".kernel_attr NBarrierCnt=2\nnbarrier.wait 2"), Some(3));
    assert_eq!(barriers(".kernel_attr NBarrierCnt=32\nnbarrier.wait 31"), Some(32));
    let variable = ".decl V v_type=G type=ub num_elts=1\nmov (M1_NM, 1) V 1\nnbarrier.wait V";
    assert_eq!(barriers(variable), Some(32));
    assert_eq!(barriers(&(".kernel_attr NBarrierCnt=7\n".to_string() + variable)), Some(8));
    assert_eq!(barriers("MOV R4, 1\nNBAR.WAIT R4"), Some(32));
    assert_eq!(barriers("NBAR.SIGNAL 4, 1, 2, 1"), Some(5));
}

/// The messages match the compiler's own assembly, see `examples/visa/README.md`.
#[test]
fn what_the_compiler_prints_is_taken_line_by_line() {
    let parsed = ok(SUBGROUPS);
    assert_eq!((parsed.warps.len(), parsed.warps[0].grid.barriers, parsed.warnings.len()), (4, Some(3), 0));
    assert_eq!(messages_of(&parsed.warps[3]), [baseline(1, 4), Nbar::Wait(Wait::Id(1))]);
    let pair = messages_of(&parsed.warps[1]);
    assert_eq!(pair, [baseline(1, 4), Nbar::Wait(Wait::Id(1)), baseline(2, 2), Nbar::Wait(Wait::Id(2))]);
    let message = |nbar: &Nbar| match *nbar {
        Nbar::Signal(Signal::Threads { id, threads }) => {
            Some(Message { id, role: 0, producers: threads, consumers: threads }.pack())
        }
        _ => None,
    };
    assert_eq!(pair.iter().filter_map(message).collect::<Vec<_>>(), [0x0404_0001, 0x0202_0002]);
    assert_eq!(ok(VARIABLES).warps.len(), 4);
    let header =
        ".version 4.1\n.kernel \"k\"\n.kernel_attr SimdSize=16\n.kernel_attr OutputAsmPath=\"/x\"\n.function \"_main_0\"\n\
                  .decl V0046 v_type=G type=uw num_elts=16 align=hword alias=<V0039, 0>\n.decl P1 v_type=P num_elts=16\n\
                  .decl V0034 v_type=G type=uq num_elts=1 align=qword\n.decl T6 v_type=T num_elts=1 v_name=T006\n\
                  .input V0039 offset=64 size=32\n    ret (M1, 1)   /// $16\n";
    assert_eq!(lines(&ok(header).warps[0]), ["ret (M1, 1)"]);
}

/// Text, the marked part, a part of the message, a part of the label or the help.
type Refusal = (&'static str, &'static str, &'static str, &'static str);

const V: &str = ".decl V v_type=G type=ub num_elts=1\n";

#[rustfmt::skip]
const REFUSED: &[Refusal] = &[
    ("NBARRIER.signal 32 4", "32", "barrier 32 does not exist", "0 to 31"),
    ("nbarrier.wait 0x20:ub", "0x20:ub", "barrier 32 does not exist", "0 to 31"),
    ("nbarrier.signal 1 3 2 2", "3", "type 3 does not exist", "0 (producer and consumer), 1 (producer) or 2 (consumer)"),
    ("nbarrier.signal 1 0", "0", "a barrier of 0 threads", "1 up to the number of threads of the group"),
    ("nbarrier.signal 1 256", "256", "256 threads does not fit 8 bits", "1 up to the number of threads"),
    ("nbarrier.signal 1 1 0 2", "0", "a barrier of 0 producers", "1 up to the number of threads"),
    ("nbarrier.signal 1 2 1 256:uw", "256:uw", "256 consumers", "1 up to the number of threads"),
    ("nbarrier.signal 1 0x100:ub", "0x100:ub", "0x100 does not fit 8 bits", "its type can hold"),
    ("nbarrier.signal", "", "nbarrier.signal has too few operands", "a barrier id, 0 to 31"),
    ("nbarrier.signal 1 ", "", "nbarrier.signal has too few operands", "a number of threads, or a type"),
    ("nbarrier.signal 1 1 2", "", "nbarrier.signal has too few operands", "a number of consumers"),
    ("nbarrier.signal 1 1 2 2 4", "4", "nbarrier.signal has too many operands", "expected no further operand"),
    ("NBARRIER.wait", "", "nbarrier.wait has too few operands", "write it like `nbarrier.wait 0x1:ub`"),
    ("nbarrier.wait 1 4", "4", "nbarrier.wait has too many operands", "no further operand"),
    (".kernel_attr NBarrierCnt=2\nnbarrier.wait 3", "3", "the kernel has no barrier 3", "NBarrierCnt=2 declares the barriers 0 to 2"),
    (".kernel_attr NBarrierCnt=33\nNOP", "33", "NBarrierCnt cannot be 33", "0 to 32"),
    (".kernel_attr NBarrierCnt\nNOP", "", "NBarrierCnt has no value", "NBarrierCnt=2"),
    (".kernel_attr NBarrierCnt=1\n.kernel_attr NBarrierCnt=2\nNOP", ".kernel_attr NBarrierCnt=2", "is given twice", "once"),
    ("nbarrier.wait V9(0,0)<0;1,0>", "V9", "V9 is not declared", ".decl V9 v_type=G type=ub num_elts=1"),
    (".decl V v_type=G type=ub num_elts=1\nnbarrier.wait V", "nbarrier.wait V", "V has no value in thread 0", "mov (M1_NM, 1) V(0,0)<1>"),
    (".decl V v_type=G type=f num_elts=1\nnbarrier.wait V", "V", "V is of type f", "a scalar variable"),
    (".decl V v_type=G type=ub num_elts=16\nnbarrier.wait V", "V", "V has several elements", "num_elts=1"),
    (".decl P1 v_type=P num_elts=1\nnbarrier.wait P1", "P1", "P1 is not a general variable", "v_type=G"),
    (".decl V v_type=G type=ub num_elts=1 alias=<W, 0>\nnbarrier.wait V", "V", "an alias", "declare a scalar"),
    (".decl V v_type=G\nNOP", "", "V has no type", "type=ub num_elts=1"),
    (".decl V\nNOP", "", "V has no kind", "v_type=G"),
    (".decl V v_type=P\n.decl V v_type=P\nNOP", "V", "V is declared twice", "another name"),
    ("nbarrier.signal 1, 4", ",", "a comma between operands", "a blank"),
    ("nbarrier.signal 1 -4", "-", "must be unsigned", "number of threads"),
    ("nbarrier.signal 1:f 4", "f", "`f` is not an integer type", "ub, uw"),
    ("nbarrier.signal (1) 4", "(", "`(` is not an operand", "a number or a variable"),
    ("nbarrier 1", "nbarrier", "NBARRIER is not complete", "nbarrier.signal"),
    ("nbarrier.arrive 1", "nbarrier.arrive", "unknown modifier", "nbarrier.wait"),
    (".group_threads 4\nbarrier", "barrier", "does not name a barrier", "nbarrier.signal 0x0:ub 0x4:ub"),
    ("sbarrier.wait", "sbarrier.wait", "does not name a barrier", "`nbarrier.wait 0x0:ub`"),
    ("_0_004:", "_0_004", "labels are not supported", "LOOP"),
    ("goto (M1, 1) x", "goto", "unknown instruction `goto`", "BCU assembly, in capitals"),
    ("mov V 1", "V", "mov has no execution size", "(M1_NM, 1)"),
    ("mov (M1, 16) V 1", "(", "an execution size of 16", "only scalars"),
    ("mov (M1_NM, 1) 3 1", "3", "mov cannot write to `3`", "a variable"),
    ("mov (M1_NM, 1 V 1", "(", "not closed", "`)`"),
    (".decl V v_type=G type=ub num_elts=1\nmov (M1_NM, 1) V(0,1)<1> 1", "(", "V has one element", "(0,0)"),
    (".decl V v_type=G type=ub num_elts=1\nmov (M1_NM, 1) V(0,0)<2> 1", "<", "V has one element", "<1>"),
    (".decl V v_type=G type=ub num_elts=1\nadd (M1_NM, 1) V 1", "", "add has too few operands", "a number or a variable"),
    ("ret 1", "1", "ret has no execution size", "ret (M1, 1)"),
    (".warps 0\nNOP", ".warps 0", "unknown directive", ".threads, .group_threads"),
    (".threads 4\n.group_threads 4\nNOP", "4", "thread 4 does not exist", ".group_threads declares 4 threads"),
    (".threads 1, 0-2\nNOP", "0-2", "thread 1 is given twice", "every thread once"),
    ("BAR.SYNC R5", "BAR.SYNC R5", "R5 has no value in thread 0", "MOV R5"),
    ("", "", "no instruction to run", "nbarrier.wait 0x0:ub"),
];

#[test]
fn wrong_texts_are_refused_with_place_and_advice() {
    for (text, marked, message, hint) in REFUSED {
        let errors = match parse(text, None, 16) {
            Err(errors) => errors,
            Ok(_) => panic!("{text:?} is accepted"),
        };
        let error = &errors[0];
        assert_eq!(errors.len(), 1, "{text:?}: {errors:?}");
        assert_eq!(&text[error.span.clone()], *marked, "{text:?}: {error:?}");
        assert!(error.message.contains(message), "{text:?}: {error:?}");
        let advice = format!("{} {}", error.label, error.help.as_deref().unwrap_or(""));
        assert!(advice.contains(hint), "{text:?}: {error:?}");
    }
}

#[test]
fn a_thread_that_has_ended_is_told_of_as_a_thread() {
    let parsed = ok(&(V.to_string() + "ret (M1, 1)\nnbarrier.wait 0"));
    assert_eq!(parsed.warnings[0].message, "thread 0 has exited before this line");
    assert!(parsed.warnings[0].help.as_deref().is_some_and(|help| help.contains("`.threads ")));
}
