// SPDX-License-Identifier: Apache-2.0 OR MIT

use super::*;
use crate::launch::fill::Fill;

/// A file of version 1.0 with this header and these data.
fn file(header: &str, data: &[u8]) -> Vec<u8> {
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(data);
    bytes
}

fn header(descr: &str, fortran: &str, shape: &str) -> String {
    format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}\n")
}

fn refused(bytes: Vec<u8>) -> String {
    let error = read("x", bytes, None).unwrap_err();
    format!("{}: {}: {}", error.message, error.label, error.help.unwrap_or_default())
}

/// Written by NumPy 2.4 for `numpy.save("x.npy", numpy.arange(6, dtype="f4").reshape(2, 3))`.
#[test]
fn a_file_of_numpy_is_read() {
    let text = format!("{:<117}\n", "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }");
    let data: Vec<u8> = (0..6).flat_map(|i| (i as f32).to_le_bytes()).collect();
    let bytes = file(&text, &data);
    assert_eq!(bytes.len(), 128 + 24);
    let buffer = read("x", bytes.clone(), None).unwrap();
    assert_eq!((buffer.kind(), &buffer.bytes), ("f32 [2, 3]".to_string(), &data.into()));
    assert_eq!(super::file(&buffer), bytes);
}

#[test]
fn every_type_comes_back() {
    for (name, element) in Element::ALL {
        for shape in [&[3][..], &[1, 2, 3], &[1; 32]] {
            let buffer = Buffer::filled("x", element, shape, &Fill::Random { seed: None, range: None }, 7).unwrap();
            let bytes = super::file(&buffer);
            assert_eq!((bytes.len() - buffer.bytes.len()) % DATA_ALIGNMENT, 0);
            assert_eq!(read("x", bytes, Some(element)).unwrap(), buffer, "{name}");
        }
    }
}

#[test]
fn bf16_is_stored_as_u2() {
    let buffer = Buffer::filled("x", Element::Bf16, &[2], &Fill::Iota, 1).unwrap();
    let bytes = super::file(&buffer);
    assert_eq!(read("x", bytes.clone(), None).unwrap().element, Element::U16);
    assert_eq!(read("x", bytes.clone(), Some(Element::Bf16)).unwrap(), buffer);
    let error = read("x", bytes, Some(Element::F16)).unwrap_err();
    assert_eq!(error.message, "the file has elements of u16, not f16");
}

#[test]
fn unknown_elements_are_written_as_zero() {
    let buffer = Buffer::filled("x", Element::U8, &[2], &Fill::Unknown, 1).unwrap();
    assert!(super::file(&buffer).ends_with(&[b'\n', 0, 0]));
    let mut mask = vec![];
    let buffer = Buffer { bytes: [Some(1), None].into_iter().collect(), ..buffer };
    write_mask(&buffer, &mut mask).unwrap();
    assert!(mask.ends_with(&[b'\n', 1, 0]));
}

#[test]
fn all_versions_are_read() {
    let text = header("|u1", "False", "(2,)");
    for version in [2, 3] {
        let mut bytes = b"\x93NUMPY".to_vec();
        bytes.extend([version, 0]);
        bytes.extend((text.len() as u32).to_le_bytes());
        bytes.extend(text.as_bytes());
        bytes.extend([7, 8]);
        assert_eq!(read("x", bytes, None).unwrap().bytes, vec![7, 8].into());
    }
    // One dimension is valid in both orders, and one byte in both endiannesses.
    assert!(read("x", file(&header(">i1", "True", "(2,)"), &[1, 2]), None).is_ok());
}

#[test]
fn what_a_buffer_cannot_hold_is_refused() {
    let one = |descr: &str, fortran: &str, shape: &str| refused(file(&header(descr, fortran, shape), &[0; 16]));
    assert!(one("<f4", "True", "(2, 2)").contains("Fortran order"));
    assert!(one(">f4", "False", "(4,)").contains("x.astype('<f4')"));
    assert!(one("<c8", "False", "(2,)").contains("`<c8`"));
    assert!(one("|b1", "False", "(16,)").contains("`|b1`"));
    assert!(one("<M8[ns]", "False", "(2,)").contains("dated type"));
    assert!(
        refused(file("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (4,), }", &[0; 16])).contains("structured")
    );
    assert!(one("<f4", "False", "()").contains("single number"));
    assert!(one("<f4", "False", "(0,)").contains("without elements"));
    assert!(one("<f4", "False", "(5,)").contains("20 bytes, and 16 bytes follow"));
    assert!(one("<f4", "False", "(4000000000, 4000000000, 4000000000)").contains("more than 1024 MiB"));
}

#[test]
fn damaged_files_are_refused() {
    assert!(refused(vec![]).contains("not a .npy file"));
    assert!(refused(b"\x93NUMPY".to_vec()).contains("cut off"));
    assert!(refused(b"\x93NUMPY\x01\x00\x10".to_vec()).contains("cut off"));
    assert!(refused(b"\x93NUMPY\x09\x00".to_vec()).contains("version 9.0"));
    assert!(refused(b"\x93NUMPY\x02\x00\xff\xff\xff\xff".to_vec()).contains("bytes"));
    assert!(refused(b"\x93NUMPY\x01\x00\x02\x00\xff\xff".to_vec()).contains("not text"));
    let long = "9".repeat(1000);
    for text in [
        "",
        "{}",
        "7",
        "{'descr': '<f4'}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1.5,), }",
        "{'descr': '<f4', 'fortran_order': 0, 'shape': (1,), }",
        "{'descr': '\\u0041', 'fortran_order': False, 'shape': (1,), }",
        &format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({long},), }}"),
        &"(".repeat(60_000),
        &"{".repeat(60_000),
    ] {
        assert!(refused(file(text, &[0; 16])).contains("damaged"), "{text}");
    }
}

#[test]
fn any_cut_or_changed_byte_is_an_error_or_another_array() {
    let good = super::file(&Buffer::filled("x", Element::U16, &[2, 3], &Fill::Iota, 1).unwrap());
    for length in 0..good.len() {
        assert!(read("x", good[..length].to_vec(), None).is_err());
    }
    let mut random = fastrand::Rng::with_seed(1);
    for _ in 0..5000 {
        let mut bytes = good.clone();
        let at = random.usize(..bytes.len());
        bytes[at] = random.u8(..);
        let _ = read("x", bytes, None).map(|buffer| assert_eq!(buffer.len() * buffer.element.size(), buffer.bytes.len()));
    }
}
