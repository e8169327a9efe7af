# Makes vectors.json and signed.json, with implementations that share no code with this crate:
#   pip install ecdsa==0.19.2 pycryptodome && python3 vectors.py
import hashlib, json, random
from ecdsa import SigningKey, SECP256k1
from ecdsa.util import sigencode_string, sigencode_string_canonize
from Crypto.Hash import keccak
random.seed(20260101)
N=SECP256k1.order
docs=[ '{"fee": 0.0, "descr": ""}', '{"b":1,"a":[1.0,1e16,1e-7,-0.0],"t":"h\u00e9llo \U0001F600"}', '[]', '{"n":123456789012345678901234567890,"x":null,"y":true,"b":2,"n":3}', '"\\u00e9\\/\\ud83d\\ude00"']
out=[]
for i in range(10):
    secret = (1).to_bytes(32,'big') if i==0 else (N-1).to_bytes(32,'big') if i==1 else random.randbytes(32)
    sk=SigningKey.from_string(secret,curve=SECP256k1)
    pub=sk.get_verifying_key().to_string()
    k=keccak.new(digest_bits=256); k.update(pub); addr='0x'+k.hexdigest()[-40:]
    doc=docs[i%len(docs)]
    msg=json.dumps(json.loads(doc)).encode()
    dg=hashlib.sha1(msg).digest()
    det=sk.sign_digest_deterministic(dg,hashfunc=hashlib.sha256,sigencode=sigencode_string_canonize)
    # any nonce, and the higher s
    any_=sk.sign_digest(dg,sigencode=sigencode_string_canonize,k=random.randrange(1,N))
    r,s=any_[:32],int.from_bytes(any_[32:],'big')
    high=r+(N-s).to_bytes(32,'big')
    out.append(dict(private=secret.hex(),public=pub.hex(),address=addr,document=doc,message=msg.decode(),deterministic=det.hex(),low_s=any_.hex(),high_s=high.hex()))
json.dump(out,open('vectors.json','w'),indent=1,ensure_ascii=False)

# Whole transactions, some of several signers, and receipts. The texts are as somebody may submit
# them; what is signed is what json makes of them.
random.seed(20261121)
def wallet():
    sk=SigningKey.from_string(random.randbytes(32),curve=SECP256k1)
    pub=sk.get_verifying_key().to_string()
    k=keccak.new(digest_bits=256); k.update(pub)
    return sk,pub.hex(),'0x'+k.hexdigest()[-40:]
def digest(text): return hashlib.sha1(json.dumps(json.loads(text)).encode()).digest()
def deterministic(sk,text): return sk.sign_digest_deterministic(digest(text),hashfunc=hashlib.sha256,sigencode=sigencode_string_canonize).hex()
def other(sk,text):
    # any nonce, and the higher s every other time
    sig=sk.sign_digest(digest(text),sigencode=sigencode_string_canonize,k=random.randrange(1,N))
    if random.random()<0.5: sig=sig[:32]+(N-int.from_bytes(sig[32:],'big')).to_bytes(32,'big')
    return sig.hex()
def specific(kind,wallets):
    addresses=[address for _,_,address in wallets]
    if kind==3: return {'address':'ct'+random.randbytes(20).hex(),'function':'add_verification','signers':addresses,'params':{'asset_id':'caf\u00e9 \x7f \U0001F600','outcome':1,'doc_hash_list':[random.randbytes(32).hex()],'remarks':'"quoted"\n','deletable_after':10**20}}
    if kind==5: return {'wallet1':addresses[0],'asset1_code':'NWRL','asset1_number':0.1}
    return {'address1':addresses[0],'address2':addresses[-1],'new_score':-1e-7}
layouts=[dict(separators=(',',':')),dict(ensure_ascii=False),dict(indent=1),dict(separators=(' ,\t',':  '),ensure_ascii=False)]
transactions=[]
for i in range(12):
    kind=[3,3,5,3,6,3][i%6]
    wallets=[wallet() for _ in range([1,2,1,3,2,5][i%6])]
    fee=random.choice(['1000000','1e6','1E16','0.0','1000000.50','-0.0'])
    body={'timestamp':1795207551000+i,'trans_code':random.randbytes(20).hex(),'type':kind,'currency':'NWRL','fee':'FEE','descr':random.choice(['','\u4e16\u754c','\ud83d']),'valid':1,'specific_data':specific(kind,wallets),'is_child_txn':False}
    layout=dict(layouts[i%4])
    if body['descr']=='\ud83d': layout['ensure_ascii']=True
    text=json.dumps(body,**layout).replace('"FEE"',fee)
    if i%3==0: text=text.replace('{','{"valid": 7,',1)  # the second one counts, in the first one's place
    transactions.append(dict(transaction=text,signers=[dict(private=sk.to_string().hex(),wallet_address=address,deterministic=deterministic(sk,text),other=other(sk,text)) for sk,_,address in wallets]))
receipts=[]
for i in range(8):
    sk,pub,address=wallet()
    text=json.dumps({'block_index':random.randrange(10**6),'block_hash':random.randbytes(32).hex(),'vote':[1,5,9][i%3],'timestamp':1795207520000+i,'wallet_address':address},**layouts[i%4])
    receipts.append(dict(data=text,public_key=pub,signature=(deterministic if i%2 else other)(sk,text)))
json.dump(dict(transactions=transactions,receipts=receipts),open('signed.json','w'),indent=1)
