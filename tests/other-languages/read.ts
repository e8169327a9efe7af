import { parse, parseNumberAndBigInt } from "lossless-json";
import createClient from "openapi-fetch";
import type { components, paths } from "./node.js";

type BlockResponse = components["schemas"]["BlockResponse"];

const ALICE = "0x030447bb3f8cd2c001c88cb160464493881e085a";
const BOB = "0x38285bb39a5a310136f59be7b20ed056ea9c1d67";
const node = createClient<paths>({ baseUrl: "http://127.0.0.1:8420" });

async function blockAt(index: number): Promise<BlockResponse | null> {
  const { data, error, response } = await node.GET("/get-block", {
    params: { query: { block_index: index } },
  });
  if (data) return data;
  if (response.status === 400) return null;
  throw new Error(`${response.status}: ${JSON.stringify(error)}`);
}

// No endpoint returns the height. Double the index until there is no block, then halve the range.
let [height, above] = [0, 1];
while (await blockAt(above)) [height, above] = [above, above * 2];
while (above - height > 1) {
  const middle = Math.floor((height + above) / 2);
  if (await blockAt(middle)) height = middle;
  else above = middle;
}

const latest = await blockAt(height);
if (latest && "index" in latest) {
  console.log(`block ${latest.index} with ${latest.text.previous_block_receipts.length} receipts`);
} else if (latest) {
  console.log(`block ${latest.block_index} as a row of a table`);
}

const { data: balance } = await node.GET("/get-balances", {
  params: { query: { balance_type: "TOKEN_IN_WALLET", token_code: "GRAIN", wallet_address: ALICE } },
});
if (balance && "balance" in balance && typeof balance.balance === "number") {
  console.log(`${balance.balance} GRAIN`);
}

// JSON.parse rounds integers above 2^53. This parser returns every integer as a bigint.
type ExactBalances = { balance: { balance: bigint; token_code: string }[] };
const { data: text } = await node.GET("/get-balances", {
  params: { query: { balance_type: "ALL_TOKENS_IN_WALLET", wallet_address: ALICE } },
  parseAs: "text",
});
if (text) {
  const balances = parse(text, null, parseNumberAndBigInt) as ExactBalances;
  for (const held of balances.balance) console.log(`${held.balance} ${held.token_code}`);
}

const { data: score } = await node.GET("/get-trustscore-wallets", {
  params: { query: { src_wallet_address: ALICE, dst_wallet_address: BOB } },
});
if (score) console.log(`trust score ${score.trust_score}`);
