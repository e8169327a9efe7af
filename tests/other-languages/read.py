from blockchain_node_api_client import Client
from blockchain_node_api_client.api.queries import get_balances, get_block, get_trustscore_wallets
from blockchain_node_api_client.models import (
    BalanceField,
    BalanceType,
    Block,
    BlockRow,
    ErrorResponse,
    TokenBalances,
    TrustScore,
)

ALICE = "0x030447bb3f8cd2c001c88cb160464493881e085a"
BOB = "0x38285bb39a5a310136f59be7b20ed056ea9c1d67"
node = Client(base_url="http://127.0.0.1:8420")


def block_at(index: int) -> Block | BlockRow | None:
    response = get_block.sync_detailed(client=node, block_index=index)
    if response.status_code == 400:
        return None
    if isinstance(response.parsed, ErrorResponse):
        raise RuntimeError(f"{response.status_code}: {response.parsed.detail}")
    return response.parsed


# No endpoint returns the height. Double the index until there is no block, then halve the range.
height, above = 0, 1
while block_at(above):
    height, above = above, above * 2
while above - height > 1:
    middle = (height + above) // 2
    if block_at(middle):
        height = middle
    else:
        above = middle

latest = block_at(height)
if isinstance(latest, Block):
    print(f"block {latest.index} with {len(latest.text.previous_block_receipts)} receipts")
elif latest:
    print(f"block {latest.block_index} as a row of a table")

balance = get_balances.sync(
    client=node, balance_type=BalanceType.TOKEN_IN_WALLET, token_code="GRAIN", wallet_address=ALICE
)
if isinstance(balance, BalanceField):
    print(f"{balance.balance} GRAIN")

balances = get_balances.sync(
    client=node, balance_type=BalanceType.ALL_TOKENS_IN_WALLET, wallet_address=ALICE
)
if isinstance(balances, TokenBalances):
    for held in balances.balance:
        print(f"{held.balance} {held.token_code}")

score = get_trustscore_wallets.sync(client=node, src_wallet_address=ALICE, dst_wallet_address=BOB)
if isinstance(score, TrustScore):
    print(f"trust score {score.trust_score}")
