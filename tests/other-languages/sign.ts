// The signature of a transaction, by the rules of docs/signing.md:
// npm install @noble/curves@2.4.0 @noble/hashes@2.4.0
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { sha1 } from "@noble/hashes/legacy.js";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { bytesToHex, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js";

/** Returns the address and the signature for a transaction that is sent with exactly this text. */
export function sign(text: string, privateKey: string): { wallet_address: string; msgsign: string } {
  const key = hexToBytes(privateKey);
  const publicKey = secp256k1.getPublicKey(key, false).slice(1);
  const digest = new Uint8Array(32);
  digest.set(sha1(utf8ToBytes(message(text))), 12);
  return {
    wallet_address: "0x" + bytesToHex(keccak_256(publicKey)).slice(-40),
    msgsign: bytesToHex(secp256k1.sign(digest, key, { prehash: false })),
  };
}

/** Returns what Python's `json.dumps(json.loads(text))` returns. */
export function message(text: string): string {
  JSON.parse(text); // Throws if the text is not JSON.
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[[\]{}]|[^\s,:[\]{}"]+/g) ?? [];
  const next = () => tokens.shift() ?? "";
  const value = (token: string): string => {
    if (token === "[") {
      const items: string[] = [];
      for (let item = next(); item !== "]"; item = next()) items.push(value(item));
      return `[${items.join(", ")}]`;
    }
    if (token === "{") {
      const members = new Map<string, string>();
      for (let name = next(); name !== "}"; name = next()) members.set(value(name), value(next()));
      return `{${[...members].map(([name, member]) => `${name}: ${member}`).join(", ")}}`;
    }
    if (token.startsWith('"')) return ascii(token);
    return /^[-\d]/.test(token) ? number(token) : token;
  };
  return value(next());
}

function ascii(token: string): string {
  const escape = (character: string) => "\\u" + character.charCodeAt(0).toString(16).padStart(4, "0");
  return JSON.stringify(JSON.parse(token)).replace(/[\u007f-\uffff]/g, escape);
}

function number(token: string): string {
  if (!/[.eE]/.test(token)) return token === "-0" ? "0" : token;
  const [digits = "", exponent = ""] = Number(token).toExponential().split("e");
  const minus = token.startsWith("-") && Number(token) === 0 ? "-" : "";
  const power = Number(exponent);
  if (power < -4 || power >= 16) return `${digits}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
  const plain = minus + String(Number(token));
  return plain.includes(".") ? plain : plain + ".0";
}
