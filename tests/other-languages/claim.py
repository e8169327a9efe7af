"""Checks `sign` with the test vectors, and makes a claim at the local node.

python claim.py docs/signing-vectors.json
"""

import json
import sys
import time
from pathlib import Path

from blockchain_node_api_client import Client
from blockchain_node_api_client.api.queries import sc_state
from blockchain_node_api_client.api.transactions import call_sc, submit_transaction
from blockchain_node_api_client.models import (
    AddVerification,
    ContractCall,
    ContractCallData,
    ContractState,
    RawTransaction,
    SignatureEntry,
    SignedTransaction,
    SubmitResponse,
    Transaction,
)
from sign import sign

# A public test key of the local node.
ALICE = "0x030447bb3f8cd2c001c88cb160464493881e085a"
PRIVATE_KEY = "b4d386bbda044be10d3dc8519923e39edf3e871e534b727a7056a18de72f5f6c"
CONTRACT = "ct4067725761fa19365c94b555e18f5a911f649fa3"
node = Client(base_url="http://127.0.0.1:8420")

vectors = json.loads(Path(sys.argv[1]).read_text())
for vector in [*vectors["messages"], vectors["transaction"], vectors["receipt_data"]]:
    signed = sign(json.loads(vector["document"]), vector["private_key"])
    assert signed == (vector["address"], vector["signature"]), vector["document"]

claim = AddVerification(
    asset_id="lot-python",
    asset_type="token",
    verifier_address=ALICE,
    outcome=1,
    doc_hash_list=[],
    doc_link_list=[],
    remarks="Weighed: 20 t, größer",
    deletable_after=2600000,
)
call = ContractCall(sc_address=CONTRACT, function_called="add_verification", signers=[ALICE], params=claim)
built = call_sc.sync(client=node, body=call)
assert isinstance(built, RawTransaction) and isinstance(built.transaction, Transaction), built
transaction = built.transaction

# Sign only what was requested, with the current time.
requested = ContractCallData(address=CONTRACT, function="add_verification", signers=[ALICE], params=claim)
assert transaction.specific_data == requested, transaction.specific_data
assert abs(transaction.timestamp / 1000 - time.time()) < 60, transaction.timestamp
transaction.descr = ""
transaction.fee = 1000000
transaction.currency = "DEVN"

address, signature = sign(transaction.to_dict(), PRIVATE_KEY)
body = SignedTransaction(transaction, [SignatureEntry(wallet_address=address, msgsign=signature)])
response = submit_transaction.sync(client=node, body=body)
assert isinstance(response, SubmitResponse) and response.response.valid, response

# This node makes a block for each submission. Other nodes need some time.
record = sc_state.sync(
    client=node,
    table_name="verification",
    contract_address=CONTRACT,
    unique_column="asset_id",
    unique_value=claim.asset_id,
)
assert isinstance(record, ContractState), record
assert record.data == [CONTRACT, "lot-python", "token", ALICE, 1, "[]", "[]", claim.remarks, 2600000], record.data
print("claimed lot-python")
