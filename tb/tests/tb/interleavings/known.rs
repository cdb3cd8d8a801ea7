// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Programs whose outcomes are known.
