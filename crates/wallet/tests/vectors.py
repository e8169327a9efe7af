# Makes vectors.json, with implementations that share no code with this crate:
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
json.dump(out,open('vectors.json','w'),indent=1,ensure_ascii=False); 
