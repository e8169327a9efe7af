// Checks `sign` with the test vectors, and makes a claim at the local node:
// node claim.js docs/signing-vectors.json
import { deepStrictEqual, ok } from "node:assert/strict";
import { readFileSync } from "node:fs";
import createClient from "openapi-fetch";
import type { components, paths } from "./node.js";
import { message, sign } from "./sign.js";

type Schemas = components["schemas"];
type Vector = Record<"document" | "message" | "private_key" | "address" | "signature", string>;

// A public test key of the local node.
const ALICE = "0x030447bb3f8cd2c001c88cb160464493881e085a";
const PRIVATE_KEY = "b4d386bbda044be10d3dc8519923e39edf3e871e534b727a7056a18de72f5f6c";
const CONTRACT = "ct4067725761fa19365c94b555e18f5a911f649fa3";
const node = createClient<paths>({ baseUrl: "http://127.0.0.1:8420" });

const vectors = JSON.parse(readFileSync(process.argv[2]!, "utf8")) as {
  messages: Vector[];
  transaction: Vector;
  receipt_data: Vector;
};
for (const vector of [...vectors.messages, vectors.transaction, vectors.receipt_data]) {
  deepStrictEqual(message(vector.document), vector.message);
  deepStrictEqual(sign(vector.document, vector.private_key), {
    wallet_address: vector.address,
    msgsign: vector.signature,
  });
}

const claim: Schemas["AddVerification"] = {
  asset_id: "lot-typescript",
  asset_type: "token",
  verifier_address: ALICE,
  outcome: 1,
  doc_hash_list: [],
  doc_link_list: [],
  remarks: "Weighed: 20 t, größer",
  deletable_after: 2600000,
};
const { data: built } = await node.POST("/call-sc", {
  body: { sc_address: CONTRACT, function_called: "add_verification", signers: [ALICE], params: claim },
});
ok(built?.transaction, "no transaction was built");

// Sign only what was requested, with the current time.
const { transaction } = built;
deepStrictEqual(transaction.specific_data, {
  address: CONTRACT,
  function: "add_verification",
  signers: [ALICE],
  params: claim,
});
ok(Math.abs(transaction.timestamp - Date.now()) < 60_000, `time ${transaction.timestamp}`);
transaction.descr = "";
transaction.fee = 1000000;
transaction.currency = "DEVN";

// The body has the same text of the transaction.
const signature = sign(JSON.stringify(transaction), PRIVATE_KEY);
const { data: result } = await node.POST("/submit-transaction", {
  body: { transaction, signatures: [signature] },
});
ok(result?.response.valid, `refused: ${result?.response.msg}`);

// This node makes a block for each submission. Other nodes need some time.
const { data: record } = await node.GET("/sc-state", {
  params: {
    query: {
      table_name: "verification",
      contract_address: CONTRACT,
      unique_column: "asset_id",
      unique_value: claim.asset_id,
    },
  },
});
deepStrictEqual(record?.data, [CONTRACT, "lot-typescript", "token", ALICE, 1, "[]", "[]", claim.remarks, 2600000]);
console.log("claimed lot-typescript");
