// SPDX-License-Identifier: Apache-2.0 OR MIT
// For an induction that is proved in parts: replaces an assertion by the assumption that the assertion held in the previous cycle.
(* techmap_celltype = "$assert" *)
module before (input A, input EN);
  wire held;
  \$ff #(.WIDTH(1)) kept (.D(A || !EN), .Q(held));
  \$assume known (.A(held), .EN(1'b1));
endmodule
