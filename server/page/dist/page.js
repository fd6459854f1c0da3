/*! Bridgemaster, MIT OR Apache-2.0. Contains lit-html, Copyright 2017 Google LLC, BSD-3-Clause;
@bufbuild/protobuf, Copyright 2021-2026 Buf Technologies, Inc., Apache-2.0 AND BSD-3-Clause;
@connectrpc/connect and connect-web, Copyright 2021-2026 The Connect Authors, Apache-2.0. */
"use strict";(()=>{function Za(){let e=this.buf,t=this.pos,n=0,r=0;for(let o=0;o<28;o+=7){let a=e[t++];if(n|=(a&127)<<o,(a&128)==0){this.pos=t,this.assertBounds(),this.varint64Lo=
n,this.varint64Hi=r;return}}let s=e[t++];if(n|=(s&15)<<28,r=(s&112)>>4,(s&128)==0){this.pos=t,this.assertBounds(),this.varint64Lo=n,this.varint64Hi=r;return}for(let o=3;o<=
31;o+=7){let a=e[t++];if(r|=(a&127)<<o,(a&128)==0){this.pos=t,this.assertBounds(),this.varint64Lo=n,this.varint64Hi=r;return}}throw new Error("invalid varint")}var vn=4294967296;function xs(e){let t=e[0]==="-";t&&(e=e.slice(1));let n=1e6,r=0,s=0;function o(a,i){let c=Number(e.slice(a,i));s*=n,r=r*n+c,r>=vn&&(s=s+(r/vn|
0),r=r%vn)}return o(-24,-18),o(-18,-12),o(-12,-6),o(-6),t?va(r,s):Ns(r,s)}function Va(e,t){let n=Ns(e,t),r=n.hi&2147483648;r&&(n=va(n.lo,n.hi));let s=Is(n.lo,n.
hi);return r?"-"+s:s}function Is(e,t){if({lo:e,hi:t}=vu(e,t),t<=2097151)return String(vn*t+e);let n=e&16777215,r=(e>>>24|t<<8)&16777215,s=t>>16&65535,o=n+r*6777216+
s*6710656,a=r+s*8147497,i=s*2,c=1e7;return o>=c&&(a+=Math.floor(o/c),o%=c),a>=c&&(i+=Math.floor(a/c),a%=c),i.toString()+Aa(a)+Aa(o)}function vu(e,t){return{lo:e>>>
0,hi:t>>>0}}function Ns(e,t){return{lo:e|0,hi:t|0}}function va(e,t){return t=~t,e?e=~e+1:t+=1,Ns(e,t)}var Aa=e=>{let t=String(e);return"0000000".slice(t.length)+
t};function Ga(e,t){if(e>>>0<128){t.push(e);return}if(e>=0){for(;e>127;)t.push(e&127|128),e=e>>>7;t.push(e)}else{for(let n=0;n<9;n++)t.push(e&127|128),e=e>>7;t.
push(1)}}function xa(){let e=this.buf[this.pos++];if((e&128)===0)return this.assertBounds(),e;let t=e&127;if(e=this.buf[this.pos++],t|=(e&127)<<7,(e&128)===0)return this.
assertBounds(),t;if(e=this.buf[this.pos++],t|=(e&127)<<14,(e&128)===0)return this.assertBounds(),t;if(e=this.buf[this.pos++],t|=(e&127)<<21,(e&128)===0)return this.
assertBounds(),t;e=this.buf[this.pos++],t|=(e&15)<<28;for(let n=5;(e&128)!==0&&n<10;n++)e=this.buf[this.pos++];if((e&128)!==0)throw new Error("invalid varint");
return this.assertBounds(),t>>>0}var I=Gu();function Gu(){let e=new DataView(new ArrayBuffer(8));if(typeof BigInt=="function"&&typeof e.getBigInt64=="function"&&typeof e.getBigUint64=="function"&&
typeof e.setBigInt64=="function"&&typeof e.setBigUint64=="function"&&(!!globalThis.Deno||!!globalThis.Bun||typeof process!="object"||typeof process.env!="object"||
process.env.BUF_BIGINT_DISABLE!=="1")){let n=BigInt("-9223372036854775808"),r=BigInt("9223372036854775807"),s=BigInt("0"),o=BigInt("18446744073709551615");return{
zero:BigInt(0),supported:!0,parse(a){let i=typeof a=="bigint"?a:BigInt(a);if(i>r||i<n)throw new Error(`invalid int64: ${a}`);return i},uParse(a){let i=typeof a==
"bigint"?a:BigInt(a);if(i>o||i<s)throw new Error(`invalid uint64: ${a}`);return i},enc(a){return e.setBigInt64(0,this.parse(a),!0),{lo:e.getInt32(0,!0),hi:e.getInt32(
4,!0)}},uEnc(a){return e.setBigInt64(0,this.uParse(a),!0),{lo:e.getInt32(0,!0),hi:e.getInt32(4,!0)}},dec(a,i){return e.setInt32(0,a,!0),e.setInt32(4,i,!0),e.getBigInt64(
0,!0)},uDec(a,i){return e.setInt32(0,a,!0),e.setInt32(4,i,!0),e.getBigUint64(0,!0)}}}return{zero:"0",supported:!1,parse(n){return typeof n!="string"&&(n=n.toString()),
Ia(n),n},uParse(n){return typeof n!="string"&&(n=n.toString()),Na(n),n},enc(n){return typeof n!="string"&&(n=n.toString()),Ia(n),xs(n)},uEnc(n){return typeof n!=
"string"&&(n=n.toString()),Na(n),xs(n)},dec(n,r){return Va(n,r)},uDec(n,r){return Is(n,r)}}}function Ia(e){if(!/^-?[0-9]+$/.test(e))throw new Error("invalid int\
64: "+e)}function Na(e){if(!/^[0-9]+$/.test(e))throw new Error("invalid uint64: "+e)}var Ms;function xu(e){var t;Ms=Object.assign(Object.assign({},e),{encodeUtf8Into:(t=e.encodeUtf8Into)!==null&&t!==void 0?t:Fs(e.encodeUtf8.bind(e))})}function kt(){
if(!Ms){let e=globalThis;if(!e.TextEncoder||!e.TextDecoder)throw new Error("encoding API missing: install TextEncoder and TextDecoder on globalThis");let t=new e.
TextEncoder,n=new e.TextDecoder("utf-8",{ignoreBOM:!0}),r,s={encodeUtf8(a){return t.encode(a)},decodeUtf8(a,i){return i?(r||(r=new e.TextDecoder("utf-8",{fatal:!0,
ignoreBOM:!0})),r.decode(a)):n.decode(a)},checkUtf8(a){try{return encodeURIComponent(a),!0}catch{return!1}}};t.encodeInto&&(s.encodeUtf8Into=t.encodeInto.bind(t));
let o=String.prototype.isWellFormed;o&&(s.checkUtf8=a=>o.call(a)),xu(s)}return Ms}function Fs(e){return(t,n)=>{let r=e(t);return n.set(r),{written:r.byteLength}}}var N;(function(e){e[e.Varint=0]="Varint",e[e.Bit64=1]="Bit64",e[e.LengthDelimited=2]="LengthDelimited",e[e.StartGroup=3]="StartGroup",e[e.EndGroup=4]="EndGroup",
e[e.Bit32=5]="Bit32"})(N||(N={}));var Cs=4294967295,Ts=2147483647,ks=-2147483648,Te=class{constructor(t){this.stackPos=[],this.encodeUtf8Into=t?Fs(t):kt().encodeUtf8Into,this.buffer=Fa,this.viewCache=
Nu,this.pos=0}ensureCapacity(t){let n=this.pos+t;if(n>this.buffer.length){let r=this.buffer.length||Iu;for(;r<n;)r*=2;let s=new Uint8Array(r);this.pos>0&&s.set(
this.buffer),this.buffer=s}}view(){let t=this.buffer,n=this.viewCache;if(n.byteLength===t.byteLength)return n;let r=new DataView(t.buffer);return this.viewCache=
r,r}finish(){let t=this.buffer.slice(0,this.pos);return this.pos=0,this.stackPos=[],t}fork(){return this.stackPos.push(this.pos),this.ensureCapacity(Xt),this.buffer[this.
pos++]=0,this}join(){let t=this.stackPos.pop();if(t===void 0)throw new Error("invalid state, fork stack empty");let n=this.pos-t-Xt,r=Ys(n);return r>Xt&&(this.ensureCapacity(
r-Xt),this.buffer.copyWithin(t+r,t+Xt,this.pos)),this.pos=t,this.uint32(n),this.pos+=n,this}tag(t,n){return this.uint32((t<<3|n)>>>0)}raw(t){return this.ensureCapacity(
t.length),this.buffer.set(t,this.pos),this.pos+=t.length,this}uint32(t){if(Ma(t),this.ensureCapacity(5),t<128)return this.buffer[this.pos++]=t,this;for(;t>127;)
this.buffer[this.pos++]=t&127|128,t>>>=7;return this.buffer[this.pos++]=t,this}int32(t){if(Ws(t),t>=0)return this.uint32(t);this.ensureCapacity(10);for(let n=0;n<
9;n++)this.buffer[this.pos++]=t&127|128,t>>=7;return this.buffer[this.pos++]=1,this}bool(t){return this.ensureCapacity(1),this.buffer[this.pos++]=t?1:0,this}bytes(t){
return this.uint32(t.byteLength),this.raw(t)}string(t){typeof t!="string"&&(t=String(t));let n=t.length;if(n<=Ya){this.ensureCapacity(n+1);let c=this.buffer,l=this.
pos;c[l++]=n;let d=0;for(;d<n;d++){let p=t.charCodeAt(d);if(p>127)break;c[l++]=p}if(d==n)return this.pos=l,this}this.ensureCapacity(n*3+5);let r=Ys(n),s=this.buffer,
o=this.pos,{written:a}=this.encodeUtf8Into(t,s.subarray(o+r)),i=Ys(a);return i!=r&&s.copyWithin(o+i,o+r,o+r+a),this.uint32(a),this.pos+=a,this}float(t){return Mu(
t),this.ensureCapacity(4),this.view().setFloat32(this.pos,t,!0),this.pos+=4,this}double(t){return this.ensureCapacity(8),this.view().setFloat64(this.pos,t,!0),this.
pos+=8,this}fixed32(t){return Ma(t),this.ensureCapacity(4),this.view().setUint32(this.pos,t,!0),this.pos+=4,this}sfixed32(t){return Ws(t),this.ensureCapacity(4),
this.view().setInt32(this.pos,t,!0),this.pos+=4,this}sint32(t){return Ws(t),this.uint32((t<<1^t>>31)>>>0)}sfixed64(t){let n=I.enc(t);this.ensureCapacity(8);let r=this.
view();return r.setInt32(this.pos,n.lo,!0),r.setInt32(this.pos+4,n.hi,!0),this.pos+=8,this}fixed64(t){let n=I.uEnc(t);this.ensureCapacity(8);let r=this.view();return r.
setInt32(this.pos,n.lo,!0),r.setInt32(this.pos+4,n.hi,!0),this.pos+=8,this}int64(t){let n=I.enc(t);return this.writeVarint64(n.lo,n.hi)}sint64(t){let n=I.enc(t),
r=n.hi>>31,s=n.lo<<1^r,o=(n.hi<<1|n.lo>>>31)^r;return this.writeVarint64(s,o)}uint64(t){let n=I.uEnc(t);return this.writeVarint64(n.lo,n.hi)}writeVarint64(t,n){
this.ensureCapacity(10);let r=this.buffer,s=this.pos;for(let i=0;i<28;i=i+7){let c=t>>>i,l=!(!(c>>>7)&&n==0);if(r[s++]=(l?c|128:c)&255,!l)return this.pos=s,this}
let o=t>>>28&15|(n&7)<<4,a=n>>3!=0;if(r[s++]=(a?o|128:o)&255,!a)return this.pos=s,this;for(let i=3;i<31;i=i+7){let c=n>>>i,l=!!(c>>>7);if(r[s++]=(l?c|128:c)&255,
!l)return this.pos=s,this}return r[s++]=n>>>31&1,this.pos=s,this}},Iu=128,Xt=1,Fa=new Uint8Array(0),Nu=new DataView(Fa.buffer),Ya=32;function Ys(e){return e<128?
1:e<16384?2:e<2097152?3:e<268435456?4:5}var K=class{constructor(t,n=kt().decodeUtf8){this.decodeUtf8=n,this.varint64Lo=0,this.varint64Hi=0,this.varint64=Za,this.
uint32=xa,this.buf=t,this.len=t.length,this.pos=0,this.view=new DataView(t.buffer,t.byteOffset,t.byteLength)}tag(){let t=this.pos,n=this.uint32(),r=this.pos-t;if(r>
5||r==5&&this.buf[this.pos-1]>15)throw new Error("illegal tag: varint overflows uint32");let s=n>>>3,o=n&7;if(s<=0||o>5)throw new Error("illegal tag: field no "+
s+" wire type "+o);return[s,o]}skip(t,n,r=100){let s=this.pos;switch(t){case N.Varint:for(;this.buf[this.pos++]&128;);break;case N.Bit64:this.pos+=4;case N.Bit32:
this.pos+=4;break;case N.LengthDelimited:let o=this.uint32();this.pos+=o;break;case N.StartGroup:if(r<=0)throw new Error("maximum recursion depth reached");for(;;){
let[a,i]=this.tag();if(i===N.EndGroup){if(n!==void 0&&a!==n)throw new Error("invalid end group tag");break}this.skip(i,a,r-1)}break;default:throw new Error("can\
t skip wire type "+t)}return this.assertBounds(),this.buf.subarray(s,this.pos)}assertBounds(){if(this.pos>this.len)throw new RangeError("premature EOF")}int32(){
return this.uint32()|0}sint32(){let t=this.uint32();return t>>>1^-(t&1)}int64(){return this.varint64(),I.dec(this.varint64Lo,this.varint64Hi)}uint64(){return this.
varint64(),I.uDec(this.varint64Lo,this.varint64Hi)}sint64(){this.varint64();let t=this.varint64Lo,n=this.varint64Hi,r=-(t&1);return t=(t>>>1|(n&1)<<31)^r,n=n>>>
1^r,I.dec(t,n)}bool(){let t=this.buf[this.pos];return t<128?(this.pos++,t!==0):(this.varint64(),this.varint64Lo!==0||this.varint64Hi!==0)}fixed32(){return this.
view.getUint32((this.pos+=4)-4,!0)}sfixed32(){return this.view.getInt32((this.pos+=4)-4,!0)}fixed64(){return I.uDec(this.sfixed32(),this.sfixed32())}sfixed64(){
return I.dec(this.sfixed32(),this.sfixed32())}float(){return this.view.getFloat32((this.pos+=4)-4,!0)}double(){return this.view.getFloat64((this.pos+=8)-8,!0)}bytes(){
let t=this.uint32(),n=this.pos;return this.pos+=t,this.assertBounds(),this.buf.subarray(n,n+t)}string(t){let n=this.uint32(),r=this.pos;this.pos+=n,this.assertBounds();
let s=this.buf;if(n<=Ya){let o=new Array(n);for(let a=0;a<n;a++){let i=s[r+a];if(i>127)return this.decodeUtf8(s.subarray(r,this.pos),t);o[a]=i}return String.fromCharCode.
apply(String,o)}return this.decodeUtf8(s.subarray(r,this.pos),t)}};function Ws(e){if(typeof e=="string")e=Number(e);else if(typeof e!="number")throw new Error("\
invalid int32: "+typeof e);if(!Number.isInteger(e)||e>Ts||e<ks)throw new Error("invalid int32: "+e)}function Ma(e){if(typeof e=="string")e=Number(e);else if(typeof e!=
"number")throw new Error("invalid uint32: "+typeof e);if(!Number.isInteger(e)||e>Cs||e<0)throw new Error("invalid uint32: "+e)}function Mu(e){if(typeof e=="stri\
ng"){let t=e;if(e=Number(e),Number.isNaN(e)&&t!=="NaN")throw new Error("invalid float32: "+t)}else if(typeof e!="number")throw new Error("invalid float32: "+typeof e);
if(!Number.isFinite(Math.fround(e))&&Number.isFinite(e))throw new Error("invalid float32: "+e)}var Wa=Uint8Array.prototype.setFromBase64;function bt(e){let t=e.length,n=t-(t+3>>2);(t&3)==0&&e[t-1]=="="&&(n-=e[t-2]=="="?2:1);let r=new Uint8Array(n),s=-1;if(Wa)
try{let o=Wa.call(r,e);o.read==t&&(s=o.written)}catch{}return s<0&&(s=Fu(r,e)),s==n?r:r.subarray(0,s)}function Fu(e,t){let n=Wu(),r=0,s=0,o,a=0;for(let i=0;i<t.
length;i++){if(o=n[t.charCodeAt(i)],o===void 0)switch(t[i]){case"=":s=0;case`
`:case"\r":case"	":case" ":continue;default:throw Error("invalid base64 string")}switch(s){case 0:a=o,s=1;break;case 1:e[r++]=a<<2|(o&48)>>4,a=o,s=2;break;case 2:
e[r++]=(a&15)<<4|(o&60)>>2,a=o,s=3;break;case 3:e[r++]=(a&3)<<6|o,s=0;break}}if(s==1)throw Error("invalid base64 string");return r}var Ca=Uint8Array.prototype.toBase64,
Yu={std:{alphabet:"base64",omitPadding:!1},std_raw:{alphabet:"base64",omitPadding:!0},url:{alphabet:"base64url",omitPadding:!0}};function Xs(e,t="std"){if(Ca)return Ca.
call(e,Yu[t]);let n=ka(t),r=t=="std",s="",o=0,a,i=0;for(let c=0;c<e.length;c++)switch(a=e[c],o){case 0:s+=n[a>>2],i=(a&3)<<4,o=1;break;case 1:s+=n[i|a>>4],i=(a&
15)<<2,o=2;break;case 2:s+=n[i|a>>6],s+=n[a&63],o=0;break}return o&&(s+=n[i],r&&(s+="=",o==1&&(s+="="))),s}var Gn,Ta,ht;function ka(e){return Gn||(Gn="ABCDEFGHI\
JKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".split(""),Ta=Gn.slice(0,-2).concat("-","_")),e=="url"?Ta:Gn}function Wu(){if(!ht){ht=[];let e=ka("std");
for(let t=0;t<e.length;t++)ht[e[t].charCodeAt(0)]=t;ht[45]=e.indexOf("+"),ht[95]=e.indexOf("/")}return ht}var m;(function(e){e[e.DOUBLE=1]="DOUBLE",e[e.FLOAT=2]="FLOAT",e[e.INT64=3]="INT64",e[e.UINT64=4]="UINT64",e[e.INT32=5]="INT32",e[e.FIXED64=6]="FIXED64",e[e.FIXED32=
7]="FIXED32",e[e.BOOL=8]="BOOL",e[e.STRING=9]="STRING",e[e.BYTES=12]="BYTES",e[e.UINT32=13]="UINT32",e[e.SFIXED32=15]="SFIXED32",e[e.SFIXED64=16]="SFIXED64",e[e.
SINT32=17]="SINT32",e[e.SINT64=18]="SINT64"})(m||(m={}));function Xa(e,t){let n=e.values.find(r=>r.name===t);if(!n)throw new Error(`cannot parse ${e} default value: ${t}`);return n.number}function La(e,t){switch(e){case m.
STRING:return t;case m.BYTES:{let n=Cu(t);if(n===!1)throw new Error(`cannot parse ${m[e]} default value: ${t}`);return n}case m.INT64:case m.SFIXED64:case m.SINT64:
return I.parse(t);case m.UINT64:case m.FIXED64:return I.uParse(t);case m.DOUBLE:case m.FLOAT:switch(t){case"inf":return Number.POSITIVE_INFINITY;case"-inf":return Number.
NEGATIVE_INFINITY;case"nan":return Number.NaN;default:return parseFloat(t)}case m.BOOL:return t==="true";case m.INT32:case m.UINT32:case m.SINT32:case m.FIXED32:case m.
SFIXED32:return parseInt(t,10)}}function Cu(e){let t=[],n={tail:e,c:"",next(){return this.tail.length==0?!1:(this.c=this.tail[0],this.tail=this.tail.substring(1),
!0)},take(r){if(this.tail.length>=r){let s=this.tail.substring(0,r);return this.tail=this.tail.substring(r),s}return!1}};for(;n.next();)switch(n.c){case"\\":if(n.
next())switch(n.c){case"\\":t.push(n.c.charCodeAt(0));break;case"b":t.push(8);break;case"f":t.push(12);break;case"n":t.push(10);break;case"r":t.push(13);break;case"\
t":t.push(9);break;case"v":t.push(11);break;case"0":case"1":case"2":case"3":case"4":case"5":case"6":case"7":{let r=n.c,s=n.take(2);if(s===!1)return!1;let o=parseInt(
r+s,8);if(Number.isNaN(o))return!1;t.push(o);break}case"x":{let r=n.c,s=n.take(2);if(s===!1)return!1;let o=parseInt(r+s,16);if(Number.isNaN(o))return!1;t.push(o);
break}case"u":{let r=n.c,s=n.take(4);if(s===!1)return!1;let o=parseInt(r+s,16);if(Number.isNaN(o))return!1;let a=new Uint8Array(4);new DataView(a.buffer).setInt32(
0,o,!0),t.push(a[0],a[1],a[2],a[3]);break}case"U":{let r=n.c,s=n.take(8);if(s===!1)return!1;let o=I.uEnc(r+s),a=new Uint8Array(8),i=new DataView(a.buffer);i.setInt32(
0,o.lo,!0),i.setInt32(4,o.hi,!0),t.push(a[0],a[1],a[2],a[3],a[4],a[5],a[6],a[7]);break}}break;default:t.push(n.c.charCodeAt(0))}return new Uint8Array(t)}var Tu=["FieldValueInvalidError","FieldListRangeError","ForeignFieldError"],M=class extends Error{constructor(t,n,r="FieldValueInvalidError"){super(n),this.name=
r,this.field=()=>t}};function Ua(e){return e instanceof Error&&Tu.includes(e.name)&&"field"in e&&typeof e.field=="function"}function $(e,t){switch(e){case m.STRING:return"";case m.BOOL:return!1;case m.DOUBLE:case m.FLOAT:return 0;case m.INT64:case m.UINT64:case m.SFIXED64:case m.FIXED64:case m.
SINT64:return t?"0":I.zero;case m.BYTES:return new Uint8Array(0);default:return 0}}function Ba(e,t){switch(e){case m.BOOL:return t===!1;case m.STRING:return t===
"";case m.BYTES:return t instanceof Uint8Array&&!t.byteLength;case m.DOUBLE:case m.FLOAT:return Object.is(t,0);default:return t==0}}var wa=2,X=Symbol.for("reflect unsafe local");function _a(e,t){let n=e[t.localName].case;return n===void 0?n:t.fields.find(r=>r.localName===n)}function $a(e,t){
let n=t.localName;if(t.oneof)return e[t.oneof.localName].case===n;if(t.presence!=wa)return e[n]!==void 0&&Object.prototype.hasOwnProperty.call(e,n);switch(t.fieldKind){case"\
list":return e[n].length>0;case"map":return Object.keys(e[n]).length>0;case"scalar":return!Ba(t.scalar,e[n]);case"enum":return e[n]!==t.enum.values[0].number}throw new Error(
"message field with implicit presence")}function Oe(e,t){return Object.prototype.hasOwnProperty.call(e,t)&&e[t]!==void 0}function Ja(e,t){if(t.oneof){let n=e[t.
oneof.localName];return n.case===t.localName?n.value:void 0}return e[t.localName]}function Da(e,t,n){t.oneof?e[t.oneof.localName]={case:t.localName,value:n}:e[t.
localName]=n}function w(e,t,n){t==="__proto__"?Object.defineProperty(e,"__proto__",{value:n,writable:!0,enumerable:!0,configurable:!0}):e[t]=n}function Oa(e,t){
return Object.prototype.hasOwnProperty.call(e,t)?e[t]:void 0}function Ka(e,t){let n=t.localName;if(t.oneof){let r=t.oneof.localName;e[r].case===n&&(e[r]={case:void 0})}else if(t.
presence!=wa)delete e[n];else switch(t.fieldKind){case"map":e[n]={};break;case"list":e[n]=[];break;case"enum":e[n]=t.enum.values[0].number;break;case"scalar":e[n]=
$(t.scalar,t.longAsString);break}}function Lt(e,t){return e!==null&&typeof e=="object"&&"$typeName"in e&&typeof e.$typeName=="string"?t===void 0?!0:t.typeName===e.$typeName:!1}function ce(e){return e!==null&&typeof e=="object"&&!Array.isArray(e)}function Ut(e,t){var n,r,s,o;if(ce(e)&&X in e&&"add"in e&&"field"in e&&typeof e.field=="function"){if(t!==void 0){let a=t,i=e.field();return a.listKind==i.listKind&&
a.scalar===i.scalar&&((n=a.message)===null||n===void 0?void 0:n.typeName)===((r=i.message)===null||r===void 0?void 0:r.typeName)&&((s=a.enum)===null||s===void 0?
void 0:s.typeName)===((o=i.enum)===null||o===void 0?void 0:o.typeName)}return!0}return!1}function Bt(e,t){var n,r,s,o;if(ce(e)&&X in e&&"has"in e&&"field"in e&&
typeof e.field=="function"){if(t!==void 0){let a=t,i=e.field();return a.mapKey===i.mapKey&&a.mapKind==i.mapKind&&a.scalar===i.scalar&&((n=a.message)===null||n===
void 0?void 0:n.typeName)===((r=i.message)===null||r===void 0?void 0:r.typeName)&&((s=a.enum)===null||s===void 0?void 0:s.typeName)===((o=i.enum)===null||o===void 0?
void 0:o.typeName)}return!0}return!1}function wt(e,t){return ce(e)&&X in e&&"desc"in e&&ce(e.desc)&&e.desc.kind==="message"&&(t===void 0||e.desc.typeName==t.typeName)}function Pa(e){return Qa(e.$typeName)}function z(e){let t=e.fields[0];return Qa(e.typeName)&&t!==void 0&&t.fieldKind=="scalar"&&t.name=="value"&&t.number==1}function xn(e){
switch(e.typeName){case"google.protobuf.Any":case"google.protobuf.Timestamp":case"google.protobuf.Duration":case"google.protobuf.FieldMask":case"google.protobuf\
.Struct":case"google.protobuf.Value":case"google.protobuf.ListValue":return!0;default:return z(e)}}var ku=new Set(["google.protobuf.DoubleValue","google.protobu\
f.FloatValue","google.protobuf.Int64Value","google.protobuf.UInt64Value","google.protobuf.Int32Value","google.protobuf.UInt32Value","google.protobuf.BoolValue",
"google.protobuf.StringValue","google.protobuf.BytesValue"]);function Qa(e){return ku.has(e)}var Xu=999,Lu=998,Ha=2;function Y(e,t){return Lt(t,e)?t:ja(e)(t)}var za=new WeakMap;function ja(e){let t=za.get(e);return t===void 0&&(t=Uu(e),za.set(e,t)),t}var Ls=0,
qa=1,ei=2,ti=3;function Uu(e){let t=e.typeName,{properties:n,prototype:r}=Bu(e);return s=>{let o;r!==void 0?(o=Object.create(r),o.$typeName=t):o={$typeName:t};for(let a=0;a<
n.length;a++){let i=n[a],c=i.name,l=s?.[c];switch(i.kind){case Ls:l!=null?o[c]=i.convert!==void 0?i.convert(l):l:i.constant!==void 0&&(o[c]=i.constant);break;case qa:
o[c]=i.convert!==void 0&&Array.isArray(l)?l.map(i.convert):l??[];break;case ei:if(i.convert===void 0||!ce(l))o[c]=l??{};else{let d={},p=Object.keys(l);for(let g=0;g<
p.length;g++)w(d,p[g],i.convert(l[p[g]]));o[c]=d}break;case ti:{let d=l;if(d?.case!=null){let p=i.convert.get(d.case);if(p!==void 0){o[c]={case:d.case,value:p(d.
value)};break}}o[c]={case:void 0};break}}}return o}}function Bu(e){var t,n;let r=[],s={},o=_u(e);for(let a of e.members){let i=a.localName;if(a.kind=="oneof"){r.
push({name:i,kind:ti,constant:void 0,convert:wu(a)});continue}switch(a.fieldKind){case"message":{r.push({name:i,kind:Ls,constant:void 0,convert:In(a)});break}case"\
list":{r.push({name:i,kind:qa,constant:void 0,convert:a.listKind=="message"?(t=In(a))!==null&&t!==void 0?t:(c=>c):a.scalar==m.BYTES?_t:void 0});break}case"map":{
r.push({name:i,kind:ei,constant:void 0,convert:a.mapKind=="message"?(n=In(a))!==null&&n!==void 0?n:(c=>c):a.scalar==m.BYTES?_t:void 0});break}default:{let c=$u(
a);r.push({name:i,kind:Ls,constant:a.presence==Ha?c:void 0,convert:a.fieldKind=="scalar"&&a.scalar==m.BYTES?_t:void 0}),o&&(s[i]=c);break}}}return{properties:r,
prototype:o?s:void 0}}function wu(e){let t=new Map;for(let n of e.fields){let r;n.fieldKind=="message"?r=In(n):n.fieldKind=="scalar"&&n.scalar==m.BYTES&&(r=_t),
t.set(n.localName,r??(s=>s))}return t}function In(e){if(e.fieldKind=="message"&&!e.oneof&&z(e.message))return e.message.fields[0].scalar==m.BYTES?_t:void 0;if(e.
message.typeName=="google.protobuf.Struct"&&e.parent.typeName!=="google.protobuf.Value")return;let t=e.message,n;return r=>!ce(r)||Lt(r,t)?r:(n??(n=ja(t)),n(r))}
function _t(e){return Array.isArray(e)?new Uint8Array(e):e}function _u(e){switch(e.file.edition){case Xu:return!1;case Lu:return!0;default:return e.fields.some(
t=>t.presence!=Ha&&t.fieldKind!="message"&&!t.oneof)}}function $u(e){let t=e.getDefaultValue();return t!==void 0?e.fieldKind=="scalar"&&e.longAsString?t.toString():
t:e.fieldKind=="scalar"?$(e.scalar,e.longAsString):e.enum.values[0].number}var Ju=0;function P(e){if(Du(e))return{toMessage:n=>Nn(n),toLocal:n=>Mn(n)};if(e.fieldKind=="message"&&!e.oneof&&z(e.message)){let n=e.message,r=n.fields[0].localName;
return{toMessage:s=>{let o=Y(n);return s!==void 0&&(o[r]=s),o},toLocal:s=>s[r]}}let t=e.message;return{toMessage:n=>n===void 0?Y(t):n,toLocal:n=>n}}function Du(e){
return e.message.typeName=="google.protobuf.Struct"&&e.parent.typeName!="google.protobuf.Value"}function Nn(e){let t={$typeName:"google.protobuf.Struct",fields:{}};
if(ce(e))for(let n of Object.keys(e))w(t.fields,n,ri(e[n]));return t}function Mn(e){let t={};for(let n of Object.keys(e.fields))w(t,n,ni(e.fields[n]));return t}
function ni(e){switch(e.kind.case){case"structValue":return Mn(e.kind.value);case"listValue":return e.kind.value.values.map(ni);case"nullValue":case void 0:return null;default:
return e.kind.value}}function ri(e){let t={$typeName:"google.protobuf.Value",kind:{case:void 0}};switch(typeof e){case"number":t.kind={case:"numberValue",value:e};
break;case"string":t.kind={case:"stringValue",value:e};break;case"boolean":t.kind={case:"boolValue",value:e};break;case"object":if(e===null)t.kind={case:"nullVa\
lue",value:Ju};else if(Array.isArray(e)){let n={$typeName:"google.protobuf.ListValue",values:[]};if(Array.isArray(e))for(let r of e)n.values.push(ri(r));t.kind=
{case:"listValue",value:n}}else t.kind={case:"structValue",value:Nn(e)};break}return t}var Ou=2,Ku=3,si={writeUnknownFields:!0};function Pu(e){return e?Object.assign(Object.assign({},si),e):si}function yt(e,t,n){let r=new Te;return Us(e)(r,Pu(n),t),
r.finish()}var oi=new WeakMap;function Us(e){let t=oi.get(e);return t===void 0&&(t=Qu(e)),t}function Qu(e){let t=e.typeName,n=e.fields.concat().sort((a,i)=>a.number-
i.number),r=n[0],s=[],o=(a,i,c)=>{if(c.$typeName!==t&&r!==void 0)throw new M(r,`cannot use ${r} with message ${c.$typeName}`,"ForeignFieldError");for(let d=0;d<
s.length;d++)s[d](a,i,c);let l=c.$unknown;if(l!==void 0&&i.writeUnknownFields)for(let d=0;d<l.length;d++){let{no:p,wireType:g,data:f}=l[d];a.tag(p,g).raw(f)}};oi.
set(e,o);for(let a of n)s.push(ai(a));return o}function ai(e){switch(e.fieldKind){case"message":case"scalar":case"enum":return zu(e);case"list":return ju(e);case"\
map":return qu(e)}}function zu(e){let t=Hu(e),n=e.localName;if(e.oneof){let r=e.oneof.localName;return(s,o,a)=>{let i=a[r];i.case===n&&t(s,o,i.value)}}if(e.presence!=
Ou){let r=e.presence==Ku?`cannot encode ${e} to binary: required field not set`:void 0;return(s,o,a)=>{let i=a[n];if(i!==void 0&&Object.prototype.hasOwnProperty.
call(a,n))t(s,o,i);else if(r!==void 0)throw new Error(r)}}if(e.fieldKind=="enum"){let r=e.enum.values[0].number;return(s,o,a)=>{let i=a[n];i!==r&&t(s,o,i)}}switch(e.
scalar){case m.BOOL:return(r,s,o)=>{let a=o[n];a!==!1&&t(r,s,a)};case m.STRING:return(r,s,o)=>{let a=o[n];a!==""&&t(r,s,a)};case m.BYTES:return(r,s,o)=>{let a=o[n];
(!(a instanceof Uint8Array)||a.byteLength>0)&&t(r,s,a)};case m.DOUBLE:case m.FLOAT:return(r,s,o)=>{let a=o[n];Object.is(a,0)||t(r,s,a)};default:return(r,s,o)=>{
let a=o[n];a!=0&&t(r,s,a)}}}function Hu(e){switch(e.fieldKind){case"message":{let{toMessage:t}=P(e),n=ci(e);return(r,s,o)=>{n(r,s,t(o))}}case"scalar":case"enum":{
let t=e.fieldKind=="enum"?m.INT32:e.scalar,n=e.number,r=Yn(t),s=Fn(t,e.parent.typeName,e.name);return(o,a,i)=>{o.tag(n,r),s(o,i)}}}}function ju(e){let t=e.localName,
n=e.number;switch(e.listKind){case"message":{let{toMessage:r}=P(e),s=ci(e);return(o,a,i)=>{let c=i[t];for(let l=0;l<c.length;l++)s(o,a,r(c[l]))}}case"scalar":case"\
enum":{let r=e.listKind=="enum"?m.INT32:e.scalar,s=Fn(r,e.parent.typeName,e.name);if(e.packed)return(a,i,c)=>{let l=c[t];if(l.length!=0){a.tag(n,N.LengthDelimited).
fork();for(let d=0;d<l.length;d++)s(a,l[d]);a.join()}};let o=Yn(r);return(a,i,c)=>{let l=c[t];for(let d=0;d<l.length;d++)a.tag(n,o),s(a,l[d])}}}}function qu(e){
let t=e.localName,n=e.number,r=em(e);if(e.mapKind=="message"){let{toMessage:i}=P(e),c=Us(e.message);return(l,d,p)=>{let g=p[t],f=Object.keys(g);for(let h=0;h<f.
length;h++){let y=f[h];l.tag(n,N.LengthDelimited).fork(),r(l,y),l.tag(2,N.LengthDelimited).fork(),c(l,d,i(g[y])),l.join(),l.join()}}}let s=e.mapKind=="enum"?m.INT32:
e.scalar,o=Yn(s),a=Fn(s,e.parent.typeName,e.name);return(i,c,l)=>{let d=l[t],p=Object.keys(d);for(let g=0;g<p.length;g++){let f=p[g];i.tag(n,N.LengthDelimited).
fork(),r(i,f),i.tag(2,o),a(i,d[f]),i.join()}}}function em(e){let t=Yn(e.mapKey),n=Fn(e.mapKey,e.parent.typeName,e.name),r=tm(e.mapKey);return(s,o)=>{s.tag(1,t),
n(s,r(o))}}function tm(e){switch(e){case m.STRING:return t=>t;case m.BOOL:return t=>t==="true"?!0:t==="false"?!1:t;case m.UINT64:case m.FIXED64:return t=>{try{return I.
uParse(t)}catch{return t}};case m.INT64:case m.SFIXED64:case m.SINT64:return t=>{try{return I.parse(t)}catch{return t}};default:return t=>{let n=Number.parseInt(
t);return Number.isFinite(n)?n:t}}}function Fn(e,t,n){let r=nm(e);return(s,o)=>{try{r(s,o)}catch(a){throw a instanceof Error?new Error(`cannot encode field ${t}\
.${n} to binary: ${a.message}`):a}}}function nm(e){switch(e){case m.STRING:return(t,n)=>t.string(n);case m.BOOL:return(t,n)=>t.bool(n);case m.DOUBLE:return(t,n)=>t.
double(n);case m.FLOAT:return(t,n)=>t.float(n);case m.INT32:return(t,n)=>t.int32(n);case m.INT64:return(t,n)=>t.int64(n);case m.UINT64:return(t,n)=>t.uint64(n);case m.
FIXED64:return(t,n)=>t.fixed64(n);case m.BYTES:return(t,n)=>t.bytes(n);case m.FIXED32:return(t,n)=>t.fixed32(n);case m.SFIXED32:return(t,n)=>t.sfixed32(n);case m.
SFIXED64:return(t,n)=>t.sfixed64(n);case m.SINT64:return(t,n)=>t.sint64(n);case m.UINT32:return(t,n)=>t.uint32(n);case m.SINT32:return(t,n)=>t.sint32(n)}}function ii(e,t,n,r){
ai(r)(e,t,n[X])}function ci(e){let t=e.number,n=Us(e.message);return e.delimitedEncoding?(r,s,o)=>{r.tag(t,N.StartGroup),n(r,s,o),r.tag(t,N.EndGroup)}:(r,s,o)=>{
r.tag(t,N.LengthDelimited).fork(),n(r,s,o),r.join()}}function Yn(e){switch(e){case m.BYTES:case m.STRING:return N.LengthDelimited;case m.DOUBLE:case m.FIXED64:case m.
SFIXED64:return N.Bit64;case m.FIXED32:case m.SFIXED32:case m.FLOAT:return N.Bit32;default:return N.Varint}}function Bs(e){return Object.assign(Object.assign({readUnknownFields:!0,recursionLimit:100},e),{depth:0})}function H(e,t,n){let r=Y(e);return ws(e).read(r,new K(
t),Bs(n),t.byteLength),r}var li=new WeakMap;function ws(e){let t=li.get(e);return t===void 0&&(t=rm(e)),t}function rm(e){let t=String(e),n=new Map,r={read:sm(t,n),readGroup:om(t,n)};li.
set(e,r);for(let s of e.fields)n.set(s.number,ui(s));return r}function sm(e,t){return(n,r,s,o)=>{var a;if(++s.depth>s.recursionLimit)throw new Error(`cannot dec\
ode ${e} from binary: maximum recursion depth of ${s.recursionLimit} reached`);let i=r.pos+o,c=(a=n.$unknown)!==null&&a!==void 0?a:[];for(;r.pos<i;){let[l,d]=r.
tag(),p=t.get(l);if(p===void 0){let g=r.skip(d,l,s.recursionLimit-s.depth);s.readUnknownFields&&c.push({no:l,wireType:d,data:g});continue}p(n,r,s,d)}c.length>0&&
(n.$unknown=c),s.depth--}}function om(e,t){return(n,r,s,o)=>{var a;if(++s.depth>s.recursionLimit)throw new Error(`cannot decode ${e} from binary: maximum recurs\
ion depth of ${s.recursionLimit} reached`);let i,c,l=(a=n.$unknown)!==null&&a!==void 0?a:[];for(;r.pos<r.len&&([i,c]=r.tag(),c!=N.EndGroup);){let d=t.get(i);if(d===
void 0){let p=r.skip(c,i,s.recursionLimit-s.depth);s.readUnknownFields&&l.push({no:i,wireType:c,data:p});continue}d(n,r,s,c)}if(c!=N.EndGroup||i!==o)throw new Error(
"invalid end group tag");l.length>0&&(n.$unknown=l),s.depth--}}function di(e,t,n,r,s){ui(n)(e[X],t,s,r)}function ui(e){switch(e.fieldKind){case"scalar":return am(
e);case"enum":return im(e);case"message":return cm(e);case"list":return lm(e);case"map":return dm(e)}}function am(e){let t=Wn(e.scalar,e.utf8Validation,e.longAsString),
n=e.localName;if(e.oneof){let r=e.oneof.localName;return(s,o)=>{s[r]={case:n,value:t(o)}}}return(r,s)=>{r[n]=t(s)}}function im(e){var t;let n=e.localName,r=(t=e.
oneof)===null||t===void 0?void 0:t.localName;if(e.enum.open)return r!==void 0?(a,i)=>{a[r]={case:n,value:i.int32()}}:(a,i)=>{a[n]=i.int32()};let s=e.enum.values,
o=e.number;return(a,i,c,l)=>{var d;let p=i.int32();if(s.some(g=>g.number===p))r!==void 0?a[r]={case:n,value:p}:a[n]=p;else if(c.readUnknownFields){let g=[];Ga(p,
g);let f=(d=a.$unknown)!==null&&d!==void 0?d:[];f.push({no:o,wireType:l,data:new Uint8Array(g)}),a.$unknown=f}}}function cm(e){let t=e.localName,{toMessage:n,toLocal:r}=P(
e),s=mi(e);if(e.oneof){let o=e.oneof.localName;return(a,i,c)=>{let l=a[o],d=n(l.case===t?l.value:void 0);s(d,i,c),a[o]={case:t,value:r(d)}}}return(o,a,i)=>{let c=n(
o[t]);s(c,a,i),o[t]=r(c)}}function mi(e){let t=ws(e.message);if(e.delimitedEncoding){let n=e.number;return(r,s,o)=>t.readGroup(r,s,o,n)}return(n,r,s)=>t.read(n,
r,s,r.uint32())}function lm(e){let t=e.localName;if(e.listKind=="message"){let{toMessage:a,toLocal:i}=P(e),c=mi(e);return(l,d,p)=>{let g=a(void 0);c(g,d,p),l[t].
push(i(g))}}let n=e.listKind=="enum"?m.INT32:e.scalar,r=e.listKind=="scalar"?e.longAsString:!1,s=Wn(n,e.utf8Validation,r),o=n!=m.STRING&&n!=m.BYTES;return(a,i,c,l)=>{
let d=a[t];if(l==N.LengthDelimited&&o){let p=i.uint32()+i.pos;for(;i.pos<p;)d.push(s(i))}else d.push(s(i))}}function dm(e){let t=e.localName,n=Wn(e.mapKey,e.utf8Validation,
!1),r=$(e.mapKey,!1),s,o;switch(e.mapKind){case"scalar":{let a=e.scalar,i=Wn(a,e.utf8Validation,!1);if(s=c=>i(c),a==m.BYTES)o=()=>new Uint8Array(0);else{let c=$(
a,!1);o=()=>c}break}case"enum":{let a=e.enum.values[0].number;s=i=>i.int32(),o=()=>a;break}case"message":{let{toMessage:a,toLocal:i}=P(e),c=ws(e.message).read;s=
(l,d,p)=>{let g=a(p);return c(g,l,d,l.uint32()),i(g)},o=()=>i(a(void 0));break}}return(a,i,c)=>{let l=a[t],d,p,g=i.uint32(),f=i.pos+g;for(;i.pos<f;){let[h,y]=i.
tag();switch(h){case 1:d=n(i);break;case 2:p=s(i,c,p);break;default:i.skip(y,h,c.recursionLimit-c.depth)}}d===void 0&&(d=r),p===void 0&&(p=o()),w(l,d,p)}}function Wn(e,t,n){
switch(e){case m.STRING:return r=>r.string(t);case m.BOOL:return r=>r.bool();case m.DOUBLE:return r=>r.double();case m.FLOAT:return r=>r.float();case m.INT32:return r=>r.
int32();case m.INT64:return n?r=>String(r.int64()):r=>r.int64();case m.UINT64:return n?r=>String(r.uint64()):r=>r.uint64();case m.FIXED64:return n?r=>String(r.fixed64()):
r=>r.fixed64();case m.BYTES:return r=>r.bytes();case m.FIXED32:return r=>r.fixed32();case m.SFIXED32:return r=>r.sfixed32();case m.SFIXED64:return n?r=>String(r.
sfixed64()):r=>r.sfixed64();case m.SINT64:return n?r=>String(r.sint64()):r=>r.sint64();case m.UINT32:return r=>r.uint32();case m.SINT32:return r=>r.sint32()}}var um=e=>e?new URL(".",e).pathname.slice(0,-1):"",_=um(globalThis.document?.currentScript?.src),St=[.5,1,2,4,8,16],gi=2;function pi(e){return e!==null&&/^\d{1,9}$/.
test(e)?Number(e):void 0}function Ke(e){let t=new URLSearchParams(e.replace(/^[?#]/,"")),n=St.find(s=>String(s)===t.get("speed")),r=t.get("seat")==="all"?"all":
pi(t.get("seat"));return{at:pi(t.get("at")),seat:r,speed:n??gi}}function _s({at:e,seat:t,speed:n}){let r=new URLSearchParams;return e!==void 0&&r.set("at",String(
e)),t!==void 0&&r.set("seat",String(t)),n!==gi&&r.set("speed",String(n)),r.toString()}function Cn(e,t,n=_){let r;try{r=e.slice(n.length).split("/").filter(i=>i!==
"").map(decodeURIComponent)}catch{return{page:"unknown"}}let[s,o,a]=r;return r.length===0?{page:"matches",query:new URLSearchParams(t)}:s==="m"&&o&&r.length===2?
{page:"match",matchId:o}:s==="play"&&r.length===1?{page:"play"}:s==="replay"&&r.length===1?{page:"replay"}:s==="ladder"&&r.length===1?{page:"ladders"}:s==="ladd\
er"&&o&&r.length===2?{page:"ladder",ladderId:o}:s==="ladder"&&o&&a&&r.length===3?{page:"ladder-bot",ladderId:o,botName:a}:{page:"unknown"}}var fe=`${_}/`,Pe=e=>`${_}\
/m/${encodeURIComponent(e)}`,Et=e=>`${_}/?${new URLSearchParams({bot:e})}`,Qe=(e,t)=>`${_}/ladder/${encodeURIComponent(e)}${t===void 0?"":`/${encodeURIComponent(
t)}`}`;var Tn="bridgemaster-api-key";function $t(){let e=sessionStorage.getItem(Tn);return e?{"x-bridgemaster-key":e}:{}}var $s=()=>sessionStorage.getItem(Tn)!==null;function fi(e){
e?sessionStorage.setItem(Tn,e):sessionStorage.removeItem(Tn)}var[mm,hi,pm]=[1,3,4],gm=1;function fm(e,t,n){let r=new Te().tag(mm,N.LengthDelimited).string(e);r.tag(hi,N.LengthDelimited).fork().join(),n!==void 0&&r.tag(hi,
N.LengthDelimited).fork().tag(gm,N.Varint).uint32(n).join(),t>0&&r.tag(pm,N.Varint).uint32(t);let s=r.finish(),o=new Uint8Array(s.length+5);return new DataView(
o.buffer).setUint32(1,s.length),o.set(s,5),o}function hm(){let e=Cn(location.pathname,location.search);if(e.page!=="match"||!location.protocol.startsWith("http"))
return;let{at:t,seat:n}=Ke(location.search),r=`${location.origin}${_}/bridgemaster.v1.MatchService/WatchPositions`,s=fm(e.matchId,t??0,typeof n=="number"?n:void 0),
o=new AbortController,a={"content-type":"application/grpc-web+proto","x-grpc-web":"1",...$t()},i=fetch(r,{method:"POST",headers:a,body:s.slice(),signal:o.signal,
redirect:"error"});return i.catch(()=>{}),{url:r,body:s,cut:o,response:i}}var bi=hm(),yi=(e,t)=>{let n=bi,{body:r,signal:s}=t??{};return n&&e===n.url&&r instanceof
Uint8Array&&String(r)===String(n.body)?(bi=void 0,s?.addEventListener("abort",()=>n.cut.abort()),n.response):fetch(e,t)};var Ds=globalThis,Si=e=>e,kn=Ds.trustedTypes,Ei=kn?kn.createPolicy("lit-html",{createHTML:e=>e}):void 0,Os="$lit$",xe=`lit$${Math.random().toFixed(9).slice(2)}$`,
Ks="?"+xe,bm=`<${Ks}>`,je=document,Dt=()=>je.createComment(""),Ot=e=>e===null||typeof e!="object"&&typeof e!="function",Ps=Array.isArray,Gi=e=>Ps(e)||typeof e?.[Symbol.
iterator]=="function",Js=`[ 	
\f\r]`,Jt=/<(?:(!--|\/[^a-zA-Z])|(\/?[a-zA-Z][^>\s]*)|(\/?$))/g,Ri=/-->/g,Ai=/>/g,ze=RegExp(`>|${Js}(?:([^\\s"'>=/]+)(${Js}*=${Js}*(?:[^ 	
\f\r"'\`<>=]|("|')|))|$)`,"g"),Zi=/'/g,Vi=/"/g,xi=/^(?:script|style|textarea|title)$/i,Qs=e=>(t,...n)=>({_$litType$:e,strings:t,values:n}),u=Qs(1),b=Qs(2),ay=Qs(
3),D=Symbol.for("lit-noChange"),C=Symbol.for("lit-nothing"),vi=new WeakMap,He=je.createTreeWalker(je,129);function Ii(e,t){if(!Ps(e)||!e.hasOwnProperty("raw"))throw Error(
"invalid template strings array");return Ei!==void 0?Ei.createHTML(t):t}var Ni=(e,t)=>{let n=e.length-1,r=[],s,o=t===2?"<svg>":t===3?"<math>":"",a=Jt;for(let i=0;i<
n;i++){let c=e[i],l,d,p=-1,g=0;for(;g<c.length&&(a.lastIndex=g,d=a.exec(c),d!==null);)g=a.lastIndex,a===Jt?d[1]==="!--"?a=Ri:d[1]!==void 0?a=Ai:d[2]!==void 0?(xi.
test(d[2])&&(s=RegExp("</"+d[2],"g")),a=ze):d[3]!==void 0&&(a=ze):a===ze?d[0]===">"?(a=s??Jt,p=-1):d[1]===void 0?p=-2:(p=a.lastIndex-d[2].length,l=d[1],a=d[3]===
void 0?ze:d[3]==='"'?Vi:Zi):a===Vi||a===Zi?a=ze:a===Ri||a===Ai?a=Jt:(a=ze,s=void 0);let f=a===ze&&e[i+1].startsWith("/>")?" ":"";o+=a===Jt?c+bm:p>=0?(r.push(l),
c.slice(0,p)+Os+c.slice(p)+xe+f):c+xe+(p===-2?i:f)}return[Ii(e,o+(e[n]||"<?>")+(t===2?"</svg>":t===3?"</math>":"")),r]},Kt=class e{constructor({strings:t,_$litType$:n},r){
let s;this.parts=[];let o=0,a=0,i=t.length-1,c=this.parts,[l,d]=Ni(t,n);if(this.el=e.createElement(l,r),He.currentNode=this.el.content,n===2||n===3){let p=this.
el.content.firstChild;p.replaceWith(...p.childNodes)}for(;(s=He.nextNode())!==null&&c.length<i;){if(s.nodeType===1){if(s.hasAttributes())for(let p of s.getAttributeNames())
if(p.endsWith(Os)){let g=d[a++],f=s.getAttribute(p).split(xe),h=/([.?@])?(.*)/.exec(g);c.push({type:1,index:o,name:h[2],strings:f,ctor:h[1]==="."?Ln:h[1]==="?"?
Un:h[1]==="@"?Bn:et}),s.removeAttribute(p)}else p.startsWith(xe)&&(c.push({type:6,index:o}),s.removeAttribute(p));if(xi.test(s.tagName)){let p=s.textContent.split(
xe),g=p.length-1;if(g>0){s.textContent=kn?kn.emptyScript:"";for(let f=0;f<g;f++)s.append(p[f],Dt()),He.nextNode(),c.push({type:2,index:++o});s.append(p[g],Dt())}}}else if(s.
nodeType===8)if(s.data===Ks)c.push({type:2,index:o});else{let p=-1;for(;(p=s.data.indexOf(xe,p+1))!==-1;)c.push({type:7,index:o}),p+=xe.length-1}o++}}static createElement(t,n){
let r=je.createElement("template");return r.innerHTML=t,r}};function qe(e,t,n=e,r){if(t===D)return t;let s=r!==void 0?n._$Co?.[r]:n._$Cl,o=Ot(t)?void 0:t._$litDirective$;
return s?.constructor!==o&&(s?._$AO?.(!1),o===void 0?s=void 0:(s=new o(e),s._$AT(e,n,r)),r!==void 0?(n._$Co??=[])[r]=s:n._$Cl=s),s!==void 0&&(t=qe(e,s._$AS(e,t.
values),s,r)),t}var Xn=class{constructor(t,n){this._$AV=[],this._$AN=void 0,this._$AD=t,this._$AM=n}get parentNode(){return this._$AM.parentNode}get _$AU(){return this.
_$AM._$AU}u(t){let{el:{content:n},parts:r}=this._$AD,s=(t?.creationScope??je).importNode(n,!0);He.currentNode=s;let o=He.nextNode(),a=0,i=0,c=r[0];for(;c!==void 0;){
if(a===c.index){let l;c.type===2?l=new Rt(o,o.nextSibling,this,t):c.type===1?l=new c.ctor(o,c.name,c.strings,this,t):c.type===6&&(l=new wn(o,this,t)),this._$AV.
push(l),c=r[++i]}a!==c?.index&&(o=He.nextNode(),a++)}return He.currentNode=je,s}p(t){let n=0;for(let r of this._$AV)r!==void 0&&(r.strings!==void 0?(r._$AI(t,r,
n),n+=r.strings.length-2):r._$AI(t[n])),n++}},Rt=class e{get _$AU(){return this._$AM?._$AU??this._$Cv}constructor(t,n,r,s){this.type=2,this._$AH=C,this._$AN=void 0,
this._$AA=t,this._$AB=n,this._$AM=r,this.options=s,this._$Cv=s?.isConnected??!0}get parentNode(){let t=this._$AA.parentNode,n=this._$AM;return n!==void 0&&t?.nodeType===
11&&(t=n.parentNode),t}get startNode(){return this._$AA}get endNode(){return this._$AB}_$AI(t,n=this){t=qe(this,t,n),Ot(t)?t===C||t==null||t===""?(this._$AH!==C&&
this._$AR(),this._$AH=C):t!==this._$AH&&t!==D&&this._(t):t._$litType$!==void 0?this.$(t):t.nodeType!==void 0?this.T(t):Gi(t)?this.k(t):this._(t)}O(t){return this.
_$AA.parentNode.insertBefore(t,this._$AB)}T(t){this._$AH!==t&&(this._$AR(),this._$AH=this.O(t))}_(t){this._$AH!==C&&Ot(this._$AH)?this._$AA.nextSibling.data=t:this.
T(je.createTextNode(t)),this._$AH=t}$(t){let{values:n,_$litType$:r}=t,s=typeof r=="number"?this._$AC(t):(r.el===void 0&&(r.el=Kt.createElement(Ii(r.h,r.h[0]),this.
options)),r);if(this._$AH?._$AD===s)this._$AH.p(n);else{let o=new Xn(s,this),a=o.u(this.options);o.p(n),this.T(a),this._$AH=o}}_$AC(t){let n=vi.get(t.strings);return n===
void 0&&vi.set(t.strings,n=new Kt(t)),n}k(t){Ps(this._$AH)||(this._$AH=[],this._$AR());let n=this._$AH,r,s=0;for(let o of t)s===n.length?n.push(r=new e(this.O(Dt()),
this.O(Dt()),this,this.options)):r=n[s],r._$AI(o),s++;s<n.length&&(this._$AR(r&&r._$AB.nextSibling,s),n.length=s)}_$AR(t=this._$AA.nextSibling,n){for(this._$AP?.(
!1,!0,n);t!==this._$AB;){let r=Si(t).nextSibling;Si(t).remove(),t=r}}setConnected(t){this._$AM===void 0&&(this._$Cv=t,this._$AP?.(t))}},et=class{get tagName(){return this.
element.tagName}get _$AU(){return this._$AM._$AU}constructor(t,n,r,s,o){this.type=1,this._$AH=C,this._$AN=void 0,this.element=t,this.name=n,this._$AM=s,this.options=
o,r.length>2||r[0]!==""||r[1]!==""?(this._$AH=Array(r.length-1).fill(new String),this.strings=r):this._$AH=C}_$AI(t,n=this,r,s){let o=this.strings,a=!1;if(o===void 0)
t=qe(this,t,n,0),a=!Ot(t)||t!==this._$AH&&t!==D,a&&(this._$AH=t);else{let i=t,c,l;for(t=o[0],c=0;c<o.length-1;c++)l=qe(this,i[r+c],n,c),l===D&&(l=this._$AH[c]),
a||=!Ot(l)||l!==this._$AH[c],l===C?t=C:t!==C&&(t+=(l??"")+o[c+1]),this._$AH[c]=l}a&&!s&&this.j(t)}j(t){t===C?this.element.removeAttribute(this.name):this.element.
setAttribute(this.name,t??"")}},Ln=class extends et{constructor(){super(...arguments),this.type=3}j(t){this.element[this.name]=t===C?void 0:t}},Un=class extends et{constructor(){
super(...arguments),this.type=4}j(t){this.element.toggleAttribute(this.name,!!t&&t!==C)}},Bn=class extends et{constructor(t,n,r,s,o){super(t,n,r,s,o),this.type=
5}_$AI(t,n=this){if((t=qe(this,t,n,0)??C)===D)return;let r=this._$AH,s=t===C&&r!==C||t.capture!==r.capture||t.once!==r.once||t.passive!==r.passive,o=t!==C&&(r===
C||s);s&&this.element.removeEventListener(this.name,this,r),o&&this.element.addEventListener(this.name,this,t),this._$AH=t}handleEvent(t){typeof this._$AH=="fun\
ction"?this._$AH.call(this.options?.host??this.element,t):this._$AH.handleEvent(t)}},wn=class{constructor(t,n,r){this.element=t,this.type=6,this._$AN=void 0,this.
_$AM=n,this.options=r}get _$AU(){return this._$AM._$AU}_$AI(t){qe(this,t)}},Mi={M:Os,P:xe,A:Ks,C:1,L:Ni,R:Xn,D:Gi,V:qe,I:Rt,H:et,N:Un,U:Bn,B:Ln,F:wn},ym=Ds.litHtmlPolyfillSupport;
ym?.(Kt,Rt),(Ds.litHtmlVersions??=[]).push("3.3.3");var _n=(e,t,n)=>{let r=n?.renderBefore??t,s=r._$litPart$;if(s===void 0){let o=n?.renderBefore??null;r._$litPart$=
s=new Rt(t.insertBefore(Dt(),o),o,void 0,n??{})}return s._$AI(e),s};var $n=["M-10 0A10 10 0 1 1 10 0A10 10 0 1 1-10 0Z","M-9-9H9V9H-9Z","M0-11.5L11.5 8.5H-11.5Z","M0-12L12 0L0 12L-12 0Z","M-5.5-10H5.5L11 0L5.5 10H-5.5L-11 0Z","M\
0-12.5L3.3-4.6L12-3.9L5.4 1.8L7.4 10.2L0 5.7L-7.4 10.2L-5.4 1.8L-12-3.9L-3.3-4.6Z"];function le(e){return`seat-${e%$n.length}`}function zs(e,t,n,r=10){let s=e%$n.
length===2?2.5:0;return b`<g class="mark ${le(e)}" transform="translate(${t} ${n}) scale(${r/10})">
    <path d=${$n[e%$n.length]} fill="currentColor" stroke="var(--piece-edge)"
      stroke-width="1.5" stroke-linejoin="round"/>
    <text y=${4+s} text-anchor="middle" font-size="11.5" font-weight="700" fill="#fff"
      >${e}</text></g>`}function F(e){return u`<svg class="badge" viewBox="-13 -13 26 26" aria-hidden="true">${zs(e,0,0)}</svg>`}function Fi(e,t,n,r=1){return b`<g class="mark ${le(
e)}" transform="translate(${t} ${n}) scale(${r})">
    <title>pawn of seat ${e}</title>
    <path d="M-10 1C-10-6-4-8-4-13A6.5 6.5 0 1 1 4-13C4-8 10-6 10 1Z" fill="currentColor"
      stroke="var(--piece-edge)" stroke-width="1.5" stroke-linejoin="round"/>
    <text y="-0.5" text-anchor="middle" font-size="10" font-weight="700" fill="#fff">${e}</text></g>`}function Hs(e,t,n,r=1,s=!1){return b`<g class="mark ${le(e)}" transform="translate(${t} ${n}) scale(${r})">
    <g transform=${s?"rotate(-90)":"rotate(0)"}>
      <path d="M0-13C3-13 5-11 5-8C5-7 4.7-6.2 4.3-5.5C8-4.5 12.5-2.5 12.5 0C12.5 2 10 2.5 6.5 2.5
        C7.5 6 11 9 11 11.5C11 12.6 10.4 13 9.5 13H3C2 13 1.5 10 0 9C-1.5 10-2 13-3 13H-9.5
        C-10.4 13-11 12.6-11 11.5C-11 9-7.5 6-6.5 2.5C-10 2.5-12.5 2-12.5 0C-12.5-2.5-8-4.5-4.3-5.5
        C-4.7-6.2-5-7-5-8C-5-11-3-13 0-13Z" fill="currentColor" stroke="var(--piece-edge)"
        stroke-width="1.4" stroke-linejoin="round"/></g>
    <text y="4" text-anchor="middle" font-size="9.5" font-weight="700" fill="#fff">${e}</text></g>`}function Jn(e,t){let n=e.fieldKind=="list"?Ut(t,e):e.fieldKind=="map"?Bt(t,e):qs(e,t);if(n===!0)return;let r;switch(e.fieldKind){case"list":r=`expected ${Ci(e)}\
, got ${k(t)}`;break;case"map":r=`expected ${Ti(e)}, got ${k(t)}`;break;default:r=re(e,t,n)}return new M(e,r)}function js(e,t,n){let r=qs(e,n);if(r!==!0)return new M(
e,`list item #${t+1}: ${re(e,n,r)}`)}function Yi(e,t,n){let r=Ie(e.mapKey)(t);if(r!==!0)return new M(e,`invalid map key: ${re({scalar:e.mapKey},t,r)}`);let s=qs(
e,n);if(s!==!0)return new M(e,`map entry ${k(t)}: ${re(e,n,s)}`)}function qs(e,t){return e.scalar!==void 0?Ie(e.scalar)(t):e.enum!==void 0?e.enum.open?Ie(m.INT32)(
t):e.enum.values.some(n=>n.number===t):wt(t,e.message)}function Ie(e){switch(e){case m.DOUBLE:return t=>typeof t=="number";case m.FLOAT:return t=>typeof t!="num\
ber"?!1:!Number.isFinite(Math.fround(t))&&Number.isFinite(t)?`${t.toFixed()} out of range`:!0;case m.INT32:case m.SFIXED32:case m.SINT32:return t=>typeof t!="nu\
mber"||!Number.isInteger(t)?!1:t>Ts||t<ks?`${t.toFixed()} out of range`:!0;case m.FIXED32:case m.UINT32:return t=>typeof t!="number"||!Number.isInteger(t)?!1:t>
Cs||t<0?`${t.toFixed()} out of range`:!0;case m.BOOL:return t=>typeof t=="boolean";case m.STRING:return t=>typeof t!="string"?!1:kt().checkUtf8(t)||"invalid UTF\
8";case m.BYTES:return t=>t instanceof Uint8Array;case m.INT64:case m.SFIXED64:case m.SINT64:return t=>{if(typeof t=="bigint"||typeof t=="number"||typeof t=="st\
ring"&&t.length>0)try{return I.parse(t),!0}catch{return`${t} out of range`}return!1};case m.FIXED64:case m.UINT64:return t=>{if(typeof t=="bigint"||typeof t=="n\
umber"||typeof t=="string"&&t.length>0)try{return I.uParse(t),!0}catch{return`${t} out of range`}return!1}}}function re(e,t,n){return n=typeof n=="string"?`: ${n}`:
`, got ${k(t)}`,e.scalar!==void 0?`expected ${Sm(e.scalar)}`+n:e.enum!==void 0?`expected ${e.enum.toString()}`+n:`expected ${Wi(e.message)}`+n}function k(e){switch(typeof e){case"\
object":return e===null?"null":e instanceof Uint8Array?`Uint8Array(${e.length})`:Array.isArray(e)?`Array(${e.length})`:Ut(e)?Ci(e.field()):Bt(e)?Ti(e.field()):wt(
e)?Wi(e.desc):Lt(e)?`message ${e.$typeName}`:"object";case"string":return e.length>30?"string":`"${e.split('"').join('\\"')}"`;case"boolean":return String(e);case"\
number":return String(e);case"bigint":return String(e)+"n";default:return typeof e}}function Wi(e){return`ReflectMessage (${e.typeName})`}function Ci(e){switch(e.
listKind){case"message":return`ReflectList (${e.message.toString()})`;case"enum":return`ReflectList (${e.enum.toString()})`;case"scalar":return`ReflectList (${m[e.
scalar]})`}}function Ti(e){switch(e.mapKind){case"message":return`ReflectMap (${m[e.mapKey]}, ${e.message.toString()})`;case"enum":return`ReflectMap (${m[e.mapKey]}\
, ${e.enum.toString()})`;case"scalar":return`ReflectMap (${m[e.mapKey]}, ${m[e.scalar]})`}}function Sm(e){switch(e){case m.STRING:return"string";case m.BOOL:return"\
boolean";case m.INT64:case m.SINT64:case m.SFIXED64:return"bigint (int64)";case m.UINT64:case m.FIXED64:return"bigint (uint64)";case m.BYTES:return"Uint8Array";case m.
DOUBLE:return"number (float64)";case m.FLOAT:return"number (float32)";case m.FIXED32:case m.UINT32:return"number (uint32)";case m.INT32:case m.SFIXED32:case m.SINT32:
return"number (int32)"}}function Ui(e,t,n=!0){return new On(e,t,n)}var ki=new WeakMap,On=class{get sortedFields(){let t=ki.get(this.desc);if(t)return t;let n=this.desc.fields.concat().
sort((r,s)=>r.number-s.number);return ki.set(this.desc,n),n}constructor(t,n,r=!0){this.lists=new Map,this.maps=new Map,this.check=r,this.desc=t,this.message=this[X]=
n??Y(t),this.fields=t.fields,this.oneofs=t.oneofs,this.members=t.members}findNumber(t){return this._fieldsByNumber||(this._fieldsByNumber=new Map(this.desc.fields.
map(n=>[n.number,n]))),this._fieldsByNumber.get(t)}oneofCase(t){return Pt(this.message,t),_a(this.message,t)}isSet(t){return Pt(this.message,t),$a(this.message,
t)}clear(t){Pt(this.message,t),Ka(this.message,t)}get(t){Pt(this.message,t);let n=Ja(this.message,t);switch(t.fieldKind){case"list":let r=this.lists.get(t);return(!r||
r[X]!==n)&&this.lists.set(t,r=new no(t,n,this.check)),r;case"map":let s=this.maps.get(t);return(!s||s[X]!==n)&&this.maps.set(t,s=new ro(t,n,this.check)),s;case"\
message":return oo(t,n,this.check);case"scalar":return n===void 0?$(t.scalar,!1):ao(t,n);case"enum":return n??t.enum.values[0].number}}set(t,n){if(Pt(this.message,
t),this.check){let s=Jn(t,n);if(s)throw s}let r;t.fieldKind=="message"?r=so(t,n):Bt(n)||Ut(n)?r=n[X]:r=io(t,n),Da(this.message,t,r)}getUnknown(){return this.message.
$unknown}setUnknown(t){this.message.$unknown=t}};function Pt(e,t){if(t.parent.typeName!==e.$typeName)throw new M(t,`cannot use ${t.toString()} with message ${e.
$typeName}`,"ForeignFieldError")}var no=class{field(){return this._field}get size(){return this._arr.length}constructor(t,n,r){this._field=t,this._arr=this[X]=n,this.check=r}get(t){let n=this._arr[t];
return n===void 0?void 0:eo(this._field,n,this.check)}set(t,n){if(t<0||t>=this._arr.length)throw new M(this._field,`list item #${t+1}: out of range`);if(this.check){
let r=js(this._field,t,n);if(r)throw r}this._arr[t]=Xi(this._field,n)}add(t){if(this.check){let n=js(this._field,this._arr.length,t);if(n)throw n}this._arr.push(
Xi(this._field,t))}clear(){this._arr.splice(0,this._arr.length)}[Symbol.iterator](){return this.values()}keys(){return this._arr.keys()}*values(){for(let t of this.
_arr)yield eo(this._field,t,this.check)}*entries(){for(let t=0;t<this._arr.length;t++)yield[t,eo(this._field,this._arr[t],this.check)]}};var ro=class{constructor(t,n,r=!0){this.obj=this[X]=n??{},this.check=r,this._field=t}field(){return this._field}set(t,n){if(this.check){let r=Yi(this._field,t,n);
if(r)throw r}return w(this.obj,Dn(t),Em(this._field,n)),this}delete(t){let n=Dn(t),r=Object.prototype.hasOwnProperty.call(this.obj,n);return r&&delete this.obj[n],
r}clear(){for(let t of Object.keys(this.obj))delete this.obj[t]}get(t){let n=Oa(this.obj,Dn(t));return n!==void 0&&(n=to(this._field,n,this.check)),n}has(t){return Object.
prototype.hasOwnProperty.call(this.obj,Dn(t))}*keys(){for(let t of Object.keys(this.obj))yield Li(t,this._field.mapKey)}*entries(){for(let t of Object.entries(this.
obj))yield[Li(t[0],this._field.mapKey),to(this._field,t[1],this.check)]}[Symbol.iterator](){return this.entries()}get size(){return Object.keys(this.obj).length}*values(){
for(let t of Object.values(this.obj))yield to(this._field,t,this.check)}forEach(t,n){for(let r of this.entries())t.call(n,r[1],r[0],this)}};function so(e,t){return wt(
t)?Pa(t.message)&&!e.oneof&&e.fieldKind=="message"?t.message.value:t.desc.typeName=="google.protobuf.Struct"&&e.parent.typeName!="google.protobuf.Value"?Mn(t.message):
t.message:t}function oo(e,t,n){return t!==void 0&&(z(e.message)&&!e.oneof&&e.fieldKind=="message"?t={$typeName:e.message.typeName,value:ao(e.message.fields[0],t)}:
e.message.typeName=="google.protobuf.Struct"&&e.parent.typeName!="google.protobuf.Value"&&ce(t)&&(t=Nn(t))),new On(e.message,t,n)}function Xi(e,t){return e.listKind==
"message"?so(e,t):io(e,t)}function eo(e,t,n){return e.listKind=="message"?oo(e,t,n):ao(e,t)}function Em(e,t){return e.mapKind=="message"?so(e,t):io(e,t)}function to(e,t,n){
return e.mapKind=="message"?oo(e,t,n):t}function Dn(e){return typeof e=="string"||typeof e=="number"?e:String(e)}function Li(e,t){switch(t){case m.STRING:return e;case m.
INT32:case m.FIXED32:case m.UINT32:case m.SFIXED32:case m.SINT32:{let n=Number.parseInt(e);if(Number.isFinite(n))return n;break}case m.BOOL:switch(e){case"true":
return!0;case"false":return!1}break;case m.UINT64:case m.FIXED64:try{return I.uParse(e)}catch{}break;default:try{return I.parse(e)}catch{}break}return e}function ao(e,t){
switch(e.scalar){case m.INT64:case m.SFIXED64:case m.SINT64:"longAsString"in e&&e.longAsString&&typeof t=="string"&&(t=I.parse(t));break;case m.FIXED64:case m.UINT64:
"longAsString"in e&&e.longAsString&&typeof t=="string"&&(t=I.uParse(t));break}return t}function io(e,t){switch(e.scalar){case m.INT64:case m.SFIXED64:case m.SINT64:
"longAsString"in e&&e.longAsString?t=String(t):(typeof t=="string"||typeof t=="number")&&(t=I.parse(t));break;case m.FIXED64:case m.UINT64:"longAsString"in e&&e.
longAsString?t=String(t):(typeof t=="string"||typeof t=="number")&&(t=I.uParse(t));break}return t}function Ne(e){let t=!1,n=[];for(let r=0;r<e.length;r++){let s=e.charAt(r);switch(s){case"_":t=!0;break;case"0":case"1":case"2":case"3":case"4":case"5":case"6":case"\
7":case"8":case"9":n.push(s),t=!1;break;default:t&&(t=!1,s=s.toUpperCase()),n.push(s);break}}return n.join("")}function Kn(e){return e.replace(/[A-Z]/g,t=>"_"+t.
toLowerCase())}var Rm=new Set(["constructor","toString","toJSON","valueOf"]);function At(e){return Rm.has(e)?e+"$":e}function Qt(e){for(let t of e.field)Oe(t,"jsonName")||(t.jsonName=Ne(t.name));e.nestedType.forEach(Qt)}function*Pn(e){switch(e.kind){case"file":for(let t of e.messages)yield t,yield*Pn(t);yield*e.enums,yield*e.services,yield*e.extensions;break;case"message":for(let t of e.
nestedMessages)yield t,yield*Pn(t);yield*e.nestedEnums,yield*e.nestedExtensions;break}}function Qn(e,t){return Am([e,t])}function Am(e,t){let n=Zm();if(!e.length)return n;if("$typeName"in e[0]&&e[0].$typeName=="google.protobuf.FileDescriptorSet"){
for(let r of e[0].file)t?.(r),$i(r,n);return n}if("$typeName"in e[0]){let a=function(i){let c=[];for(let l of i.dependency){if(n.getFile(l)!=null||o.has(l))continue;
let d=s(l);if(!d)throw new Error(`Unable to resolve ${l}, imported by ${i.name}`);"kind"in d?n.addFile(d,!1,!0):(o.add(d.name),c.push(d))}return c.concat(...c.map(
a))},r=e[0],s=e[1],o=new Set;for(let i of[r,...a(r)].reverse())t?.(i),$i(i,n)}else for(let r of e)for(let s of r.files)n.addFile(s);return n}function Zm(){let e=new Map,t=new Map,n=new Map;return{kind:"registry",types:e,extendees:t,[Symbol.iterator](){return e.values()},get files(){return n.values()},
addFile(r,s,o){if(n.set(r.proto.name,r),!s)for(let a of Pn(r))this.add(a);if(o)for(let a of r.dependencies)this.addFile(a,s,o)},add(r){if(r.kind=="extension"){let s=t.
get(r.extendee.typeName);s||t.set(r.extendee.typeName,s=new Map),s.set(r.number,r)}e.set(r.typeName,r)},get(r){return e.get(r)},getFile(r){return n.get(r)},getMessage(r){
let s=e.get(r);return s?.kind=="message"?s:void 0},getEnum(r){let s=e.get(r);return s?.kind=="enum"?s:void 0},getExtension(r){let s=e.get(r);return s?.kind=="ex\
tension"?s:void 0},getExtensionFor(r,s){var o;return(o=t.get(r.typeName))===null||o===void 0?void 0:o.get(s)},getService(r){let s=e.get(r);return s?.kind=="serv\
ice"?s:void 0}}}var Vm=998,vm=999,Gm=9999,xm=9,Ht=10,zt=11,Im=12,Bi=14,po=3,Nm=2,wi=1,Mm=0,co=1,_i=2,Fm=3,Ym=1,Wm=2,Cm=1,Tm=2;var km=1002,Di={998:{fieldPresence:1,enumType:2,repeatedFieldEncoding:2,utf8Validation:3,messageEncoding:1,jsonFormat:2,enforceNamingStyle:2,defaultSymbolVisibility:1,
enforceProtoLimits:1},999:{fieldPresence:2,enumType:1,repeatedFieldEncoding:1,utf8Validation:2,messageEncoding:1,jsonFormat:1,enforceNamingStyle:2,defaultSymbolVisibility:1,
enforceProtoLimits:1},1e3:{fieldPresence:1,enumType:1,repeatedFieldEncoding:1,utf8Validation:2,messageEncoding:1,jsonFormat:1,enforceNamingStyle:2,defaultSymbolVisibility:1,
enforceProtoLimits:1},1001:{fieldPresence:1,enumType:1,repeatedFieldEncoding:1,utf8Validation:2,messageEncoding:1,jsonFormat:1,enforceNamingStyle:1,defaultSymbolVisibility:2,
enforceProtoLimits:1},1002:{fieldPresence:1,enumType:1,repeatedFieldEncoding:1,utf8Validation:2,messageEncoding:1,jsonFormat:1,enforceNamingStyle:3,defaultSymbolVisibility:4,
enforceProtoLimits:2}};function $i(e,t){var n,r;let s={kind:"file",proto:e,deprecated:(r=(n=e.options)===null||n===void 0?void 0:n.deprecated)!==null&&r!==void 0?
r:!1,edition:Bm(e),name:e.name.replace(/\.proto$/,""),dependencies:wm(e,t),enums:[],messages:[],extensions:[],services:[],toString(){return`file ${e.name}`}},o=new Map,
a={get(i){return o.get(i)},add(i){var c;de(((c=i.proto.options)===null||c===void 0?void 0:c.mapEntry)===!0),o.set(i.typeName,i)}};for(let i of e.enumType)Oi(i,s,
void 0,t);for(let i of e.messageType)Ki(i,s,void 0,t,a);for(let i of e.service)Xm(i,s,t);lo(s,t);for(let i of o.values())uo(i,t,a);for(let i of s.messages)uo(i,
t,a),lo(i,t);t.addFile(s,!0)}function lo(e,t){switch(e.kind){case"file":for(let n of e.proto.extension){let r=mo(n,e,t);e.extensions.push(r),t.add(r)}break;case"\
message":for(let n of e.proto.extension){let r=mo(n,e,t);e.nestedExtensions.push(r),t.add(r)}for(let n of e.nestedMessages)lo(n,t);break}}function uo(e,t,n){let r=e.
proto.oneofDecl.map(o=>Um(o,e)),s=new Set;for(let o of e.proto.field){let a=Dm(o,r),i=mo(o,e,t,a,n);e.fields.push(i),e.field[i.localName]=i,a===void 0?e.members.
push(i):(a.fields.push(i),s.has(a)||(s.add(a),e.members.push(a)))}for(let o of r.filter(a=>s.has(a)))e.oneofs.push(o);for(let o of e.nestedMessages)uo(o,t,n)}function Oi(e,t,n,r){
var s,o,a,i,c,l,d,p,g;let f=_m(e.name,e.value),h={kind:"enum",proto:e,deprecated:(o=(s=e.options)===null||s===void 0?void 0:s.deprecated)!==null&&o!==void 0?o:!1,
file:t,parent:n,open:!0,name:e.name,typeName:zn(e,n,t),value:{},values:[],sharedPrefix:f,toString(){return`enum ${this.typeName}`}};h.open=Qm(h),r.add(h);for(let y of e.
value){let E=y.name,V={kind:"enum_value",proto:y,deprecated:(i=(a=y.options)===null||a===void 0?void 0:a.deprecated)!==null&&i!==void 0?i:!1,parent:h,name:E,localName:At(
f==null?E:E.substring(f.length)),number:y.number,jsonName:(c=$m(y))!==null&&c!==void 0?c:E,toString(){return`enum value ${h.typeName}.${E}`}};h.values.push(V),(l=
(p=h.value)[g=y.number])!==null&&l!==void 0||(p[g]=V)}((d=n?.nestedEnums)!==null&&d!==void 0?d:t.enums).push(h)}function Ki(e,t,n,r,s){var o,a,i,c;let l={kind:"\
message",proto:e,deprecated:(a=(o=e.options)===null||o===void 0?void 0:o.deprecated)!==null&&a!==void 0?a:!1,file:t,parent:n,name:e.name,typeName:zn(e,n,t),fields:[],
field:{},oneofs:[],members:[],nestedEnums:[],nestedMessages:[],nestedExtensions:[],toString(){return`message ${this.typeName}`}};((i=e.options)===null||i===void 0?
void 0:i.mapEntry)===!0?s.add(l):(((c=n?.nestedMessages)!==null&&c!==void 0?c:t.messages).push(l),r.add(l));for(let d of e.enumType)Oi(d,t,l,r);for(let d of e.nestedType)
Ki(d,t,l,r,s)}function Xm(e,t,n){var r,s;let o={kind:"service",proto:e,deprecated:(s=(r=e.options)===null||r===void 0?void 0:r.deprecated)!==null&&s!==void 0?s:
!1,file:t,name:e.name,typeName:zn(e,void 0,t),methods:[],method:{},toString(){return`service ${this.typeName}`}};t.services.push(o),n.add(o);for(let a of e.method){
let i=Lm(a,o,n);o.methods.push(i),o.method[i.localName]=i}}function Lm(e,t,n){var r,s,o,a;let i;e.clientStreaming&&e.serverStreaming?i="bidi_streaming":e.clientStreaming?
i="client_streaming":e.serverStreaming?i="server_streaming":i="unary";let c=n.getMessage(Me(e.inputType)),l=n.getMessage(Me(e.outputType));de(c,`invalid MethodD\
escriptorProto: input_type ${e.inputType} not found`),de(l,`invalid MethodDescriptorProto: output_type ${e.inputType} not found`);let d=e.name;return{kind:"rpc",
proto:e,deprecated:(s=(r=e.options)===null||r===void 0?void 0:r.deprecated)!==null&&s!==void 0?s:!1,parent:t,name:d,localName:At(d.length?At(d[0].toLowerCase()+
d.substring(1)):d),methodKind:i,input:c,output:l,idempotency:(a=(o=e.options)===null||o===void 0?void 0:o.idempotencyLevel)!==null&&a!==void 0?a:Mm,toString(){return`\
rpc ${t.typeName}.${d}`}}}function Um(e,t){return{kind:"oneof",proto:e,deprecated:!1,parent:t,fields:[],name:e.name,localName:At(Ne(e.name)),toString(){return`o\
neof ${t.typeName}.${this.name}`}}}function mo(e,t,n,r,s){var o,a,i;let c=s===void 0,l={kind:"field",proto:e,deprecated:(a=(o=e.options)===null||o===void 0?void 0:
o.deprecated)!==null&&a!==void 0?a:!1,name:e.name,number:e.number,scalar:void 0,message:void 0,enum:void 0,presence:Om(e,r,c,t),utf8Validation:zm(e,t),listKind:void 0,
mapKind:void 0,mapKey:void 0,delimitedEncoding:void 0,packed:void 0,longAsString:!1,getDefaultValue:void 0},d;if(c){let h=t.kind=="file"?t:t.file,y=t.kind=="fil\
e"?void 0:t,E=zn(e,y,h);l.kind="extension",l.file=h,l.parent=y,l.oneof=void 0,l.typeName=E,l.jsonName=`[${E}]`,d=()=>`extension ${E}`;let V=n.getMessage(Me(e.extendee));
de(V,`invalid FieldDescriptorProto: extendee ${e.extendee} not found`),l.extendee=V}else{let h=t;de(h.kind=="message"),l.parent=h,l.oneof=r,l.localName=r?Ne(e.name):
At(Ne(e.name)),l.jsonName=e.jsonName,d=()=>`field ${h.typeName}.${e.name}`}Object.defineProperty(l,"toString",{value:d,writable:!0,enumerable:!0,configurable:!0});
let p=e.label,g=e.type,f=(i=e.options)===null||i===void 0?void 0:i.jstype;if(p===po){let h=g==zt?s?.get(Me(e.typeName)):void 0;if(h){l.fieldKind="map";let{key:y,
value:E}=Pm(h);return l.mapKey=y.scalar,l.mapKind=E.fieldKind,l.message=E.message,l.delimitedEncoding=!1,l.enum=E.enum,l.scalar=E.scalar,l}switch(l.fieldKind="l\
ist",g){case zt:case Ht:l.listKind="message",l.message=n.getMessage(Me(e.typeName)),de(l.message),l.delimitedEncoding=Ji(e,t);break;case Bi:l.listKind="enum",l.
enum=n.getEnum(Me(e.typeName)),de(l.enum);break;default:l.listKind="scalar",l.scalar=g,l.longAsString=f==wi;break}return l.packed=Km(e,t),l}switch(g){case zt:case Ht:
l.fieldKind="message",l.message=n.getMessage(Me(e.typeName)),de(l.message,`invalid FieldDescriptorProto: type_name ${e.typeName} not found`),l.delimitedEncoding=
Ji(e,t),l.getDefaultValue=()=>{};break;case Bi:{let h=n.getEnum(Me(e.typeName));de(h!==void 0,`invalid FieldDescriptorProto: type_name ${e.typeName} not found`),
l.fieldKind="enum",l.enum=n.getEnum(Me(e.typeName)),l.getDefaultValue=()=>Oe(e,"defaultValue")?Xa(h,e.defaultValue):void 0;break}default:{l.fieldKind="scalar",l.
scalar=g,l.longAsString=f==wi,l.getDefaultValue=()=>Oe(e,"defaultValue")?La(g,e.defaultValue):void 0;break}}return l}function Bm(e){switch(e.syntax){case"":case"\
proto2":return Vm;case"proto3":return vm;case"editions":if(e.edition===Gm)return km;if(e.edition in Di)return e.edition;throw new Error(`${e.name}: unsupported \
edition`);default:throw new Error(`${e.name}: unsupported syntax "${e.syntax}"`)}}function wm(e,t){return e.dependency.map(n=>{let r=t.getFile(n);if(!r)throw new Error(
`Cannot find ${n}, imported by ${e.name}`);return r})}function _m(e,t){let n=Jm(e)+"_";for(let r of t){if(!r.name.toLowerCase().startsWith(n))return;let s=r.name.
substring(n.length);if(s.length==0||/^\d/.test(s))return}return n}function $m(e){var t,n;let o;for(let a of(n=(t=e.options)===null||t===void 0?void 0:t.$unknown)!==
null&&n!==void 0?n:[]){if(a.no!==998||a.wireType!==N.LengthDelimited)continue;let i=new K(new K(a.data).bytes());for(;i.pos<i.len;){let[c,l]=i.tag();c===1&&l===
N.LengthDelimited?o=i.string():i.skip(l,c)}}return o}function Jm(e){return(e.substring(0,1)+e.substring(1).replace(/[A-Z]/g,t=>"_"+t)).toLowerCase()}function zn(e,t,n){
let r;return t?r=`${t.typeName}.${e.name}`:n.proto.package.length>0?r=`${n.proto.package}.${e.name}`:r=`${e.name}`,r}function Me(e){return e.startsWith(".")?e.substring(
1):e}function Dm(e,t){if(!Oe(e,"oneofIndex")||e.proto3Optional)return;let n=t[e.oneofIndex];return de(n,`invalid FieldDescriptorProto: oneof #${e.oneofIndex} fo\
r field #${e.number} not found`),n}function Om(e,t,n,r){if(e.label==Nm)return Fm;if(e.label==po)return _i;if(t||e.proto3Optional||n)return co;let s=tt("fieldPre\
sence",{proto:e,parent:r});return s==_i&&(e.type==zt||e.type==Ht)?co:s}function Km(e,t){if(e.label!=po)return!1;switch(e.type){case xm:case Im:case Ht:case zt:return!1}
let n=e.options;return n&&Oe(n,"packed")?n.packed:Ym==tt("repeatedFieldEncoding",{proto:e,parent:t})}function Pm(e){let t=e.fields.find(r=>r.number===1),n=e.fields.
find(r=>r.number===2);return de(t&&t.fieldKind=="scalar"&&t.scalar!=m.BYTES&&t.scalar!=m.FLOAT&&t.scalar!=m.DOUBLE&&n&&n.fieldKind!="list"&&n.fieldKind!="map"),
{key:t,value:n}}function Qm(e){var t;return Cm==tt("enumType",{proto:e.proto,parent:(t=e.parent)!==null&&t!==void 0?t:e.file})}function Ji(e,t){return e.type==Ht?
!0:Wm==tt("messageEncoding",{proto:e,parent:t})}function zm(e,t){return Tm==tt("utf8Validation",{proto:e,parent:t})}function tt(e,t){var n,r;let s=(n=t.proto.options)===
null||n===void 0?void 0:n.features;if(s){let o=s[e];if(o!=0)return o}if("kind"in t){if(t.kind=="message")return tt(e,(r=t.parent)!==null&&r!==void 0?r:t.file);let o=Di[t.
edition];if(!o)throw new Error(`feature default for edition ${t.edition} not found`);return o[e]}return tt(e,t.parent)}function de(e,t){if(!e)throw new Error(t)}function Pi(e){let t=Hm(e);return t.messageType.forEach(Qt),Qn(t,()=>{}).getFile(t.name)}function Hm(e){return Object.assign(Object.create({syntax:"",edition:0}),
Object.assign(Object.assign({$typeName:"google.protobuf.FileDescriptorProto",dependency:[],publicDependency:[],weakDependency:[],optionDependency:[],service:[],
extension:[]},e),{messageType:e.messageType.map(Qi),enumType:e.enumType.map(zi)}))}function Qi(e){var t,n,r,s,o,a,i,c;return Object.assign(Object.create({visibility:0}),
{$typeName:"google.protobuf.DescriptorProto",name:e.name,field:(n=(t=e.field)===null||t===void 0?void 0:t.map(jm))!==null&&n!==void 0?n:[],extension:[],nestedType:(s=
(r=e.nestedType)===null||r===void 0?void 0:r.map(Qi))!==null&&s!==void 0?s:[],enumType:(a=(o=e.enumType)===null||o===void 0?void 0:o.map(zi))!==null&&a!==void 0?
a:[],extensionRange:(c=(i=e.extensionRange)===null||i===void 0?void 0:i.map(d=>Object.assign({$typeName:"google.protobuf.DescriptorProto.ExtensionRange"},d)))!==
null&&c!==void 0?c:[],oneofDecl:[],reservedRange:[],reservedName:[]})}function jm(e){return Object.assign(Object.create({label:1,typeName:"",extendee:"",defaultValue:"",
oneofIndex:0,jsonName:"",proto3Optional:!1}),Object.assign(Object.assign({$typeName:"google.protobuf.FieldDescriptorProto"},e),{options:e.options?qm(e.options):
void 0}))}function qm(e){var t,n,r;return Object.assign(Object.create({ctype:0,packed:!1,jstype:0,lazy:!1,unverifiedLazy:!1,deprecated:!1,weak:!1,debugRedact:!1,
retention:0}),Object.assign(Object.assign({$typeName:"google.protobuf.FieldOptions"},e),{targets:(t=e.targets)!==null&&t!==void 0?t:[],editionDefaults:(r=(n=e.editionDefaults)===
null||n===void 0?void 0:n.map(o=>Object.assign({$typeName:"google.protobuf.FieldOptions.EditionDefault"},o)))!==null&&r!==void 0?r:[],uninterpretedOption:[]}))}
function zi(e){return Object.assign(Object.create({visibility:0}),{$typeName:"google.protobuf.EnumDescriptorProto",name:e.name,reservedName:[],reservedRange:[],
value:e.value.map(n=>Object.assign({$typeName:"google.protobuf.EnumValueDescriptorProto"},n))})}function G(e,t,...n){return n.reduce((r,s)=>r.nestedMessages[s],e.messages[t])}function O(e,t,...n){if(n.length==0)return e.enums[t];let r=n.pop();return n.reduce((s,o)=>s.nestedMessages[o],e.messages[t]).nestedEnums[r]}var go=Pi({name:"google/protobuf/descriptor.proto",package:"google.protobuf",messageType:[{name:"FileDescriptorSet",field:[{name:"file",number:1,type:11,label:3,
typeName:".google.protobuf.FileDescriptorProto"}],extensionRange:[{start:536e6,end:536000001}]},{name:"FileDescriptorProto",field:[{name:"name",number:1,type:9,
label:1},{name:"package",number:2,type:9,label:1},{name:"dependency",number:3,type:9,label:3},{name:"public_dependency",number:10,type:5,label:3},{name:"weak_de\
pendency",number:11,type:5,label:3},{name:"option_dependency",number:15,type:9,label:3},{name:"message_type",number:4,type:11,label:3,typeName:".google.protobuf\
.DescriptorProto"},{name:"enum_type",number:5,type:11,label:3,typeName:".google.protobuf.EnumDescriptorProto"},{name:"service",number:6,type:11,label:3,typeName:"\
.google.protobuf.ServiceDescriptorProto"},{name:"extension",number:7,type:11,label:3,typeName:".google.protobuf.FieldDescriptorProto"},{name:"options",number:8,
type:11,label:1,typeName:".google.protobuf.FileOptions"},{name:"source_code_info",number:9,type:11,label:1,typeName:".google.protobuf.SourceCodeInfo"},{name:"sy\
ntax",number:12,type:9,label:1},{name:"edition",number:14,type:14,label:1,typeName:".google.protobuf.Edition"}]},{name:"DescriptorProto",field:[{name:"name",number:1,
type:9,label:1},{name:"field",number:2,type:11,label:3,typeName:".google.protobuf.FieldDescriptorProto"},{name:"extension",number:6,type:11,label:3,typeName:".g\
oogle.protobuf.FieldDescriptorProto"},{name:"nested_type",number:3,type:11,label:3,typeName:".google.protobuf.DescriptorProto"},{name:"enum_type",number:4,type:11,
label:3,typeName:".google.protobuf.EnumDescriptorProto"},{name:"extension_range",number:5,type:11,label:3,typeName:".google.protobuf.DescriptorProto.ExtensionRa\
nge"},{name:"oneof_decl",number:8,type:11,label:3,typeName:".google.protobuf.OneofDescriptorProto"},{name:"options",number:7,type:11,label:1,typeName:".google.p\
rotobuf.MessageOptions"},{name:"reserved_range",number:9,type:11,label:3,typeName:".google.protobuf.DescriptorProto.ReservedRange"},{name:"reserved_name",number:10,
type:9,label:3},{name:"visibility",number:11,type:14,label:1,typeName:".google.protobuf.SymbolVisibility"}],nestedType:[{name:"ExtensionRange",field:[{name:"sta\
rt",number:1,type:5,label:1},{name:"end",number:2,type:5,label:1},{name:"options",number:3,type:11,label:1,typeName:".google.protobuf.ExtensionRangeOptions"}]},
{name:"ReservedRange",field:[{name:"start",number:1,type:5,label:1},{name:"end",number:2,type:5,label:1}]}]},{name:"ExtensionRangeOptions",field:[{name:"uninter\
preted_option",number:999,type:11,label:3,typeName:".google.protobuf.UninterpretedOption"},{name:"declaration",number:2,type:11,label:3,typeName:".google.protob\
uf.ExtensionRangeOptions.Declaration",options:{retention:2}},{name:"features",number:50,type:11,label:1,typeName:".google.protobuf.FeatureSet"},{name:"verificat\
ion",number:3,type:14,label:1,typeName:".google.protobuf.ExtensionRangeOptions.VerificationState",defaultValue:"UNVERIFIED",options:{retention:2}}],nestedType:[
{name:"Declaration",field:[{name:"number",number:1,type:5,label:1},{name:"full_name",number:2,type:9,label:1},{name:"type",number:3,type:9,label:1},{name:"reser\
ved",number:5,type:8,label:1},{name:"repeated",number:6,type:8,label:1}]}],enumType:[{name:"VerificationState",value:[{name:"DECLARATION",number:0},{name:"UNVER\
IFIED",number:1}]}],extensionRange:[{start:990,end:999},{start:1e3,end:536870912}]},{name:"FieldDescriptorProto",field:[{name:"name",number:1,type:9,label:1},{name:"\
number",number:3,type:5,label:1},{name:"label",number:4,type:14,label:1,typeName:".google.protobuf.FieldDescriptorProto.Label"},{name:"type",number:5,type:14,label:1,
typeName:".google.protobuf.FieldDescriptorProto.Type"},{name:"type_name",number:6,type:9,label:1},{name:"extendee",number:2,type:9,label:1},{name:"default_value",
number:7,type:9,label:1},{name:"oneof_index",number:9,type:5,label:1},{name:"json_name",number:10,type:9,label:1},{name:"options",number:8,type:11,label:1,typeName:"\
.google.protobuf.FieldOptions"},{name:"proto3_optional",number:17,type:8,label:1}],enumType:[{name:"Type",value:[{name:"TYPE_DOUBLE",number:1},{name:"TYPE_FLOAT",
number:2},{name:"TYPE_INT64",number:3},{name:"TYPE_UINT64",number:4},{name:"TYPE_INT32",number:5},{name:"TYPE_FIXED64",number:6},{name:"TYPE_FIXED32",number:7},
{name:"TYPE_BOOL",number:8},{name:"TYPE_STRING",number:9},{name:"TYPE_GROUP",number:10},{name:"TYPE_MESSAGE",number:11},{name:"TYPE_BYTES",number:12},{name:"TYP\
E_UINT32",number:13},{name:"TYPE_ENUM",number:14},{name:"TYPE_SFIXED32",number:15},{name:"TYPE_SFIXED64",number:16},{name:"TYPE_SINT32",number:17},{name:"TYPE_S\
INT64",number:18}]},{name:"Label",value:[{name:"LABEL_OPTIONAL",number:1},{name:"LABEL_REPEATED",number:3},{name:"LABEL_REQUIRED",number:2}]}]},{name:"OneofDesc\
riptorProto",field:[{name:"name",number:1,type:9,label:1},{name:"options",number:2,type:11,label:1,typeName:".google.protobuf.OneofOptions"}]},{name:"EnumDescri\
ptorProto",field:[{name:"name",number:1,type:9,label:1},{name:"value",number:2,type:11,label:3,typeName:".google.protobuf.EnumValueDescriptorProto"},{name:"opti\
ons",number:3,type:11,label:1,typeName:".google.protobuf.EnumOptions"},{name:"reserved_range",number:4,type:11,label:3,typeName:".google.protobuf.EnumDescriptor\
Proto.EnumReservedRange"},{name:"reserved_name",number:5,type:9,label:3},{name:"visibility",number:6,type:14,label:1,typeName:".google.protobuf.SymbolVisibility"}],
nestedType:[{name:"EnumReservedRange",field:[{name:"start",number:1,type:5,label:1},{name:"end",number:2,type:5,label:1}]}]},{name:"EnumValueDescriptorProto",field:[
{name:"name",number:1,type:9,label:1},{name:"number",number:2,type:5,label:1},{name:"options",number:3,type:11,label:1,typeName:".google.protobuf.EnumValueOptio\
ns"}]},{name:"ServiceDescriptorProto",field:[{name:"name",number:1,type:9,label:1},{name:"method",number:2,type:11,label:3,typeName:".google.protobuf.MethodDesc\
riptorProto"},{name:"options",number:3,type:11,label:1,typeName:".google.protobuf.ServiceOptions"}]},{name:"MethodDescriptorProto",field:[{name:"name",number:1,
type:9,label:1},{name:"input_type",number:2,type:9,label:1},{name:"output_type",number:3,type:9,label:1},{name:"options",number:4,type:11,label:1,typeName:".goo\
gle.protobuf.MethodOptions"},{name:"client_streaming",number:5,type:8,label:1,defaultValue:"false"},{name:"server_streaming",number:6,type:8,label:1,defaultValue:"\
false"}]},{name:"FileOptions",field:[{name:"java_package",number:1,type:9,label:1},{name:"java_outer_classname",number:8,type:9,label:1},{name:"java_multiple_fi\
les",number:10,type:8,label:1,defaultValue:"false",options:{}},{name:"java_generate_equals_and_hash",number:20,type:8,label:1,options:{deprecated:!0}},{name:"ja\
va_string_check_utf8",number:27,type:8,label:1,defaultValue:"false"},{name:"optimize_for",number:9,type:14,label:1,typeName:".google.protobuf.FileOptions.Optimi\
zeMode",defaultValue:"SPEED"},{name:"go_package",number:11,type:9,label:1},{name:"cc_generic_services",number:16,type:8,label:1,defaultValue:"false"},{name:"jav\
a_generic_services",number:17,type:8,label:1,defaultValue:"false"},{name:"py_generic_services",number:18,type:8,label:1,defaultValue:"false"},{name:"deprecated",
number:23,type:8,label:1,defaultValue:"false"},{name:"cc_enable_arenas",number:31,type:8,label:1,defaultValue:"true",options:{}},{name:"objc_class_prefix",number:36,
type:9,label:1},{name:"csharp_namespace",number:37,type:9,label:1},{name:"swift_prefix",number:39,type:9,label:1},{name:"php_class_prefix",number:40,type:9,label:1},
{name:"php_namespace",number:41,type:9,label:1},{name:"php_metadata_namespace",number:44,type:9,label:1},{name:"ruby_package",number:45,type:9,label:1},{name:"f\
eatures",number:50,type:11,label:1,typeName:".google.protobuf.FeatureSet"},{name:"uninterpreted_option",number:999,type:11,label:3,typeName:".google.protobuf.Un\
interpretedOption"}],enumType:[{name:"OptimizeMode",value:[{name:"SPEED",number:1},{name:"CODE_SIZE",number:2},{name:"LITE_RUNTIME",number:3}]}],extensionRange:[
{start:990,end:999},{start:1e3,end:536870912}]},{name:"MessageOptions",field:[{name:"message_set_wire_format",number:1,type:8,label:1,defaultValue:"false"},{name:"\
no_standard_descriptor_accessor",number:2,type:8,label:1,defaultValue:"false"},{name:"deprecated",number:3,type:8,label:1,defaultValue:"false"},{name:"map_entry",
number:7,type:8,label:1},{name:"deprecated_legacy_json_field_conflicts",number:11,type:8,label:1,options:{deprecated:!0}},{name:"features",number:12,type:11,label:1,
typeName:".google.protobuf.FeatureSet"},{name:"uninterpreted_option",number:999,type:11,label:3,typeName:".google.protobuf.UninterpretedOption"}],extensionRange:[
{start:990,end:999},{start:1e3,end:536870912}]},{name:"FieldOptions",field:[{name:"ctype",number:1,type:14,label:1,typeName:".google.protobuf.FieldOptions.CType",
defaultValue:"STRING"},{name:"packed",number:2,type:8,label:1},{name:"jstype",number:6,type:14,label:1,typeName:".google.protobuf.FieldOptions.JSType",defaultValue:"\
JS_NORMAL"},{name:"lazy",number:5,type:8,label:1,defaultValue:"false"},{name:"unverified_lazy",number:15,type:8,label:1,defaultValue:"false"},{name:"deprecated",
number:3,type:8,label:1,defaultValue:"false"},{name:"weak",number:10,type:8,label:1,defaultValue:"false",options:{deprecated:!0}},{name:"debug_redact",number:16,
type:8,label:1,defaultValue:"false"},{name:"retention",number:17,type:14,label:1,typeName:".google.protobuf.FieldOptions.OptionRetention"},{name:"targets",number:19,
type:14,label:3,typeName:".google.protobuf.FieldOptions.OptionTargetType"},{name:"edition_defaults",number:20,type:11,label:3,typeName:".google.protobuf.FieldOp\
tions.EditionDefault"},{name:"features",number:21,type:11,label:1,typeName:".google.protobuf.FeatureSet"},{name:"feature_support",number:22,type:11,label:1,typeName:"\
.google.protobuf.FieldOptions.FeatureSupport"},{name:"uninterpreted_option",number:999,type:11,label:3,typeName:".google.protobuf.UninterpretedOption"}],nestedType:[
{name:"EditionDefault",field:[{name:"edition",number:3,type:14,label:1,typeName:".google.protobuf.Edition"},{name:"value",number:2,type:9,label:1}]},{name:"Feat\
ureSupport",field:[{name:"edition_introduced",number:1,type:14,label:1,typeName:".google.protobuf.Edition"},{name:"edition_deprecated",number:2,type:14,label:1,
typeName:".google.protobuf.Edition"},{name:"deprecation_warning",number:3,type:9,label:1},{name:"edition_removed",number:4,type:14,label:1,typeName:".google.pro\
tobuf.Edition"},{name:"removal_error",number:5,type:9,label:1}]}],enumType:[{name:"CType",value:[{name:"STRING",number:0},{name:"CORD",number:1},{name:"STRING_P\
IECE",number:2}]},{name:"JSType",value:[{name:"JS_NORMAL",number:0},{name:"JS_STRING",number:1},{name:"JS_NUMBER",number:2}]},{name:"OptionRetention",value:[{name:"\
RETENTION_UNKNOWN",number:0},{name:"RETENTION_RUNTIME",number:1},{name:"RETENTION_SOURCE",number:2}]},{name:"OptionTargetType",value:[{name:"TARGET_TYPE_UNKNOWN",
number:0},{name:"TARGET_TYPE_FILE",number:1},{name:"TARGET_TYPE_EXTENSION_RANGE",number:2},{name:"TARGET_TYPE_MESSAGE",number:3},{name:"TARGET_TYPE_FIELD",number:4},
{name:"TARGET_TYPE_ONEOF",number:5},{name:"TARGET_TYPE_ENUM",number:6},{name:"TARGET_TYPE_ENUM_ENTRY",number:7},{name:"TARGET_TYPE_SERVICE",number:8},{name:"TAR\
GET_TYPE_METHOD",number:9}]}],extensionRange:[{start:990,end:999},{start:1e3,end:536870912}]},{name:"OneofOptions",field:[{name:"features",number:1,type:11,label:1,
typeName:".google.protobuf.FeatureSet"},{name:"uninterpreted_option",number:999,type:11,label:3,typeName:".google.protobuf.UninterpretedOption"}],extensionRange:[
{start:990,end:999},{start:1e3,end:536870912}]},{name:"EnumOptions",field:[{name:"allow_alias",number:2,type:8,label:1},{name:"deprecated",number:3,type:8,label:1,
defaultValue:"false"},{name:"deprecated_legacy_json_field_conflicts",number:6,type:8,label:1,options:{deprecated:!0}},{name:"features",number:7,type:11,label:1,
typeName:".google.protobuf.FeatureSet"},{name:"uninterpreted_option",number:999,type:11,label:3,typeName:".google.protobuf.UninterpretedOption"}],extensionRange:[
{start:990,end:999},{start:1e3,end:536870912}]},{name:"EnumValueOptions",field:[{name:"deprecated",number:1,type:8,label:1,defaultValue:"false"},{name:"features",
number:2,type:11,label:1,typeName:".google.protobuf.FeatureSet"},{name:"debug_redact",number:3,type:8,label:1,defaultValue:"false"},{name:"feature_support",number:4,
type:11,label:1,typeName:".google.protobuf.FieldOptions.FeatureSupport"},{name:"uninterpreted_option",number:999,type:11,label:3,typeName:".google.protobuf.Unin\
terpretedOption"}],extensionRange:[{start:990,end:999},{start:1e3,end:536870912}]},{name:"ServiceOptions",field:[{name:"features",number:34,type:11,label:1,typeName:"\
.google.protobuf.FeatureSet"},{name:"deprecated",number:33,type:8,label:1,defaultValue:"false"},{name:"uninterpreted_option",number:999,type:11,label:3,typeName:"\
.google.protobuf.UninterpretedOption"}],extensionRange:[{start:990,end:999},{start:1e3,end:536870912}]},{name:"MethodOptions",field:[{name:"deprecated",number:33,
type:8,label:1,defaultValue:"false"},{name:"idempotency_level",number:34,type:14,label:1,typeName:".google.protobuf.MethodOptions.IdempotencyLevel",defaultValue:"\
IDEMPOTENCY_UNKNOWN"},{name:"features",number:35,type:11,label:1,typeName:".google.protobuf.FeatureSet"},{name:"uninterpreted_option",number:999,type:11,label:3,
typeName:".google.protobuf.UninterpretedOption"}],enumType:[{name:"IdempotencyLevel",value:[{name:"IDEMPOTENCY_UNKNOWN",number:0},{name:"NO_SIDE_EFFECTS",number:1},
{name:"IDEMPOTENT",number:2}]}],extensionRange:[{start:990,end:999},{start:1e3,end:536870912}]},{name:"UninterpretedOption",field:[{name:"name",number:2,type:11,
label:3,typeName:".google.protobuf.UninterpretedOption.NamePart"},{name:"identifier_value",number:3,type:9,label:1},{name:"positive_int_value",number:4,type:4,label:1},
{name:"negative_int_value",number:5,type:3,label:1},{name:"double_value",number:6,type:1,label:1},{name:"string_value",number:7,type:12,label:1},{name:"aggregat\
e_value",number:8,type:9,label:1}],nestedType:[{name:"NamePart",field:[{name:"name_part",number:1,type:9,label:2},{name:"is_extension",number:2,type:8,label:2}]}]},
{name:"FeatureSet",field:[{name:"field_presence",number:1,type:14,label:1,typeName:".google.protobuf.FeatureSet.FieldPresence",options:{retention:1,targets:[4,1],
editionDefaults:[{value:"EXPLICIT",edition:900},{value:"IMPLICIT",edition:999},{value:"EXPLICIT",edition:1e3}]}},{name:"enum_type",number:2,type:14,label:1,typeName:"\
.google.protobuf.FeatureSet.EnumType",options:{retention:1,targets:[6,1],editionDefaults:[{value:"CLOSED",edition:900},{value:"OPEN",edition:999}]}},{name:"repe\
ated_field_encoding",number:3,type:14,label:1,typeName:".google.protobuf.FeatureSet.RepeatedFieldEncoding",options:{retention:1,targets:[4,1],editionDefaults:[{
value:"EXPANDED",edition:900},{value:"PACKED",edition:999}]}},{name:"utf8_validation",number:4,type:14,label:1,typeName:".google.protobuf.FeatureSet.Utf8Validat\
ion",options:{retention:1,targets:[4,1],editionDefaults:[{value:"NONE",edition:900},{value:"VERIFY",edition:999}]}},{name:"message_encoding",number:5,type:14,label:1,
typeName:".google.protobuf.FeatureSet.MessageEncoding",options:{retention:1,targets:[4,1],editionDefaults:[{value:"LENGTH_PREFIXED",edition:900}]}},{name:"json_\
format",number:6,type:14,label:1,typeName:".google.protobuf.FeatureSet.JsonFormat",options:{retention:1,targets:[3,6,1],editionDefaults:[{value:"LEGACY_BEST_EFF\
ORT",edition:900},{value:"ALLOW",edition:999}]}},{name:"enforce_naming_style",number:7,type:14,label:1,typeName:".google.protobuf.FeatureSet.EnforceNamingStyle",
options:{retention:2,targets:[1,2,3,4,5,6,7,8,9],editionDefaults:[{value:"STYLE_LEGACY",edition:900},{value:"STYLE2024",edition:1001},{value:"STYLE2026",edition:1002}]}},
{name:"default_symbol_visibility",number:8,type:14,label:1,typeName:".google.protobuf.FeatureSet.VisibilityFeature.DefaultSymbolVisibility",options:{retention:2,
targets:[1],editionDefaults:[{value:"EXPORT_ALL",edition:900},{value:"EXPORT_TOP_LEVEL",edition:1001},{value:"STRICT",edition:1002}]}},{name:"enforce_proto_limi\
ts",number:9,type:14,label:1,typeName:".google.protobuf.FeatureSet.ProtoLimitsFeature.EnforceProtoLimits",options:{retention:2,targets:[6,3,4,5],editionDefaults:[
{value:"LEGACY_NO_EXPLICIT_LIMITS",edition:900},{value:"PROTO_LIMITS2026",edition:1002}]}}],nestedType:[{name:"VisibilityFeature",enumType:[{name:"DefaultSymbol\
Visibility",value:[{name:"DEFAULT_SYMBOL_VISIBILITY_UNKNOWN",number:0},{name:"EXPORT_ALL",number:1},{name:"EXPORT_TOP_LEVEL",number:2},{name:"LOCAL_ALL",number:3},
{name:"STRICT",number:4}]}]},{name:"ProtoLimitsFeature",enumType:[{name:"EnforceProtoLimits",value:[{name:"PROTO_LIMITS_UNKNOWN",number:0},{name:"LEGACY_NO_EXPL\
ICIT_LIMITS",number:1},{name:"PROTO_LIMITS2026",number:2}]}]}],enumType:[{name:"FieldPresence",value:[{name:"FIELD_PRESENCE_UNKNOWN",number:0},{name:"EXPLICIT",
number:1},{name:"IMPLICIT",number:2},{name:"LEGACY_REQUIRED",number:3}]},{name:"EnumType",value:[{name:"ENUM_TYPE_UNKNOWN",number:0},{name:"OPEN",number:1},{name:"\
CLOSED",number:2}]},{name:"RepeatedFieldEncoding",value:[{name:"REPEATED_FIELD_ENCODING_UNKNOWN",number:0},{name:"PACKED",number:1},{name:"EXPANDED",number:2}]},
{name:"Utf8Validation",value:[{name:"UTF8_VALIDATION_UNKNOWN",number:0},{name:"VERIFY",number:2},{name:"NONE",number:3}]},{name:"MessageEncoding",value:[{name:"\
MESSAGE_ENCODING_UNKNOWN",number:0},{name:"LENGTH_PREFIXED",number:1},{name:"DELIMITED",number:2}]},{name:"JsonFormat",value:[{name:"JSON_FORMAT_UNKNOWN",number:0},
{name:"ALLOW",number:1},{name:"LEGACY_BEST_EFFORT",number:2}]},{name:"EnforceNamingStyle",value:[{name:"ENFORCE_NAMING_STYLE_UNKNOWN",number:0},{name:"STYLE2024",
number:1},{name:"STYLE_LEGACY",number:2},{name:"STYLE2026",number:3}]}],extensionRange:[{start:1e3,end:9995},{start:9995,end:1e4},{start:1e4,end:10001}]},{name:"\
FeatureSetDefaults",field:[{name:"defaults",number:1,type:11,label:3,typeName:".google.protobuf.FeatureSetDefaults.FeatureSetEditionDefault"},{name:"minimum_edi\
tion",number:4,type:14,label:1,typeName:".google.protobuf.Edition"},{name:"maximum_edition",number:5,type:14,label:1,typeName:".google.protobuf.Edition"}],nestedType:[
{name:"FeatureSetEditionDefault",field:[{name:"edition",number:3,type:14,label:1,typeName:".google.protobuf.Edition"},{name:"overridable_features",number:4,type:11,
label:1,typeName:".google.protobuf.FeatureSet"},{name:"fixed_features",number:5,type:11,label:1,typeName:".google.protobuf.FeatureSet"}]}]},{name:"SourceCodeInf\
o",field:[{name:"location",number:1,type:11,label:3,typeName:".google.protobuf.SourceCodeInfo.Location"}],nestedType:[{name:"Location",field:[{name:"path",number:1,
type:5,label:3,options:{packed:!0}},{name:"span",number:2,type:5,label:3,options:{packed:!0}},{name:"leading_comments",number:3,type:9,label:1},{name:"trailing_\
comments",number:4,type:9,label:1},{name:"leading_detached_comments",number:6,type:9,label:3}]}],extensionRange:[{start:536e6,end:536000001}]},{name:"GeneratedC\
odeInfo",field:[{name:"annotation",number:1,type:11,label:3,typeName:".google.protobuf.GeneratedCodeInfo.Annotation"}],nestedType:[{name:"Annotation",field:[{name:"\
path",number:1,type:5,label:3,options:{packed:!0}},{name:"source_file",number:2,type:9,label:1},{name:"begin",number:3,type:5,label:1},{name:"end",number:4,type:5,
label:1},{name:"semantic",number:5,type:14,label:1,typeName:".google.protobuf.GeneratedCodeInfo.Annotation.Semantic"}],enumType:[{name:"Semantic",value:[{name:"\
NONE",number:0},{name:"SET",number:1},{name:"ALIAS",number:2}]}]}]}],enumType:[{name:"Edition",value:[{name:"EDITION_UNKNOWN",number:0},{name:"EDITION_LEGACY",number:900},
{name:"EDITION_PROTO2",number:998},{name:"EDITION_PROTO3",number:999},{name:"EDITION_2023",number:1e3},{name:"EDITION_2024",number:1001},{name:"EDITION_2026",number:1002},
{name:"EDITION_UNSTABLE",number:9999},{name:"EDITION_1_TEST_ONLY",number:1},{name:"EDITION_2_TEST_ONLY",number:2},{name:"EDITION_99997_TEST_ONLY",number:99997},
{name:"EDITION_99998_TEST_ONLY",number:99998},{name:"EDITION_99999_TEST_ONLY",number:99999},{name:"EDITION_MAX",number:2147483647}]},{name:"SymbolVisibility",value:[
{name:"VISIBILITY_UNSET",number:0},{name:"VISIBILITY_LOCAL",number:1},{name:"VISIBILITY_EXPORT",number:2}]}]});var yc=G(go,1);var Hi;(function(e){e[e.DECLARATION=0]="DECLARATION",e[e.UNVERIFIED=1]="UNVERIFIED"})(Hi||(Hi={}));var ji;(function(e){e[e.DOUBLE=1]="DOUBLE",e[e.FLOAT=2]="FLOAT",e[e.INT64=3]="INT64",e[e.UINT64=4]="UINT64",e[e.INT32=5]="INT32",e[e.FIXED64=6]="FIXED64",e[e.FIXED32=
7]="FIXED32",e[e.BOOL=8]="BOOL",e[e.STRING=9]="STRING",e[e.GROUP=10]="GROUP",e[e.MESSAGE=11]="MESSAGE",e[e.BYTES=12]="BYTES",e[e.UINT32=13]="UINT32",e[e.ENUM=14]=
"ENUM",e[e.SFIXED32=15]="SFIXED32",e[e.SFIXED64=16]="SFIXED64",e[e.SINT32=17]="SINT32",e[e.SINT64=18]="SINT64"})(ji||(ji={}));var qi;(function(e){e[e.OPTIONAL=1]="OPTIONAL",e[e.REPEATED=3]="REPEATED",e[e.REQUIRED=2]="REQUIRED"})(qi||(qi={}));var ec;(function(e){e[e.SPEED=1]="SPEED",e[e.CODE_SIZE=2]="CODE_SIZE",e[e.LITE_RUNTIME=3]="LITE_RUNTIME"})(ec||(ec={}));var tc;(function(e){e[e.STRING=0]="STRING",e[e.CORD=1]="CORD",e[e.STRING_PIECE=2]="STRING_PIECE"})(tc||(tc={}));var nc;(function(e){e[e.JS_NORMAL=0]="JS_NORMAL",e[e.JS_STRING=1]="JS_STRING",e[e.JS_NUMBER=2]="JS_NUMBER"})(nc||(nc={}));var rc;(function(e){e[e.RETENTION_UNKNOWN=0]="RETENTION_UNKNOWN",e[e.RETENTION_RUNTIME=1]="RETENTION_RUNTIME",e[e.RETENTION_SOURCE=2]="RETENTION_SOURCE"})(rc||(rc=
{}));var sc;(function(e){e[e.TARGET_TYPE_UNKNOWN=0]="TARGET_TYPE_UNKNOWN",e[e.TARGET_TYPE_FILE=1]="TARGET_TYPE_FILE",e[e.TARGET_TYPE_EXTENSION_RANGE=2]="TARGET_TYPE_\
EXTENSION_RANGE",e[e.TARGET_TYPE_MESSAGE=3]="TARGET_TYPE_MESSAGE",e[e.TARGET_TYPE_FIELD=4]="TARGET_TYPE_FIELD",e[e.TARGET_TYPE_ONEOF=5]="TARGET_TYPE_ONEOF",e[e.
TARGET_TYPE_ENUM=6]="TARGET_TYPE_ENUM",e[e.TARGET_TYPE_ENUM_ENTRY=7]="TARGET_TYPE_ENUM_ENTRY",e[e.TARGET_TYPE_SERVICE=8]="TARGET_TYPE_SERVICE",e[e.TARGET_TYPE_METHOD=
9]="TARGET_TYPE_METHOD"})(sc||(sc={}));var oc;(function(e){e[e.IDEMPOTENCY_UNKNOWN=0]="IDEMPOTENCY_UNKNOWN",e[e.NO_SIDE_EFFECTS=1]="NO_SIDE_EFFECTS",e[e.IDEMPOTENT=2]="IDEMPOTENT"})(oc||(oc={}));var ac;(function(e){e[e.DEFAULT_SYMBOL_VISIBILITY_UNKNOWN=0]="DEFAULT_SYMBOL_VISIBILITY_UNKNOWN",e[e.EXPORT_ALL=1]="EXPORT_ALL",e[e.EXPORT_TOP_LEVEL=2]="EXPORT_\
TOP_LEVEL",e[e.LOCAL_ALL=3]="LOCAL_ALL",e[e.STRICT=4]="STRICT"})(ac||(ac={}));var ic;(function(e){e[e.PROTO_LIMITS_UNKNOWN=0]="PROTO_LIMITS_UNKNOWN",e[e.LEGACY_NO_EXPLICIT_LIMITS=1]="LEGACY_NO_EXPLICIT_LIMITS",e[e.PROTO_LIMITS2026=2]="PRO\
TO_LIMITS2026"})(ic||(ic={}));var cc;(function(e){e[e.FIELD_PRESENCE_UNKNOWN=0]="FIELD_PRESENCE_UNKNOWN",e[e.EXPLICIT=1]="EXPLICIT",e[e.IMPLICIT=2]="IMPLICIT",e[e.LEGACY_REQUIRED=3]="LEGACY_\
REQUIRED"})(cc||(cc={}));var lc;(function(e){e[e.ENUM_TYPE_UNKNOWN=0]="ENUM_TYPE_UNKNOWN",e[e.OPEN=1]="OPEN",e[e.CLOSED=2]="CLOSED"})(lc||(lc={}));var dc;(function(e){e[e.REPEATED_FIELD_ENCODING_UNKNOWN=0]="REPEATED_FIELD_ENCODING_UNKNOWN",e[e.PACKED=1]="PACKED",e[e.EXPANDED=2]="EXPANDED"})(dc||(dc={}));var uc;(function(e){e[e.UTF8_VALIDATION_UNKNOWN=0]="UTF8_VALIDATION_UNKNOWN",e[e.VERIFY=2]="VERIFY",e[e.NONE=3]="NONE"})(uc||(uc={}));var mc;(function(e){e[e.MESSAGE_ENCODING_UNKNOWN=0]="MESSAGE_ENCODING_UNKNOWN",e[e.LENGTH_PREFIXED=1]="LENGTH_PREFIXED",e[e.DELIMITED=2]="DELIMITED"})(mc||(mc={}));var pc;(function(e){e[e.JSON_FORMAT_UNKNOWN=0]="JSON_FORMAT_UNKNOWN",e[e.ALLOW=1]="ALLOW",e[e.LEGACY_BEST_EFFORT=2]="LEGACY_BEST_EFFORT"})(pc||(pc={}));var gc;(function(e){e[e.ENFORCE_NAMING_STYLE_UNKNOWN=0]="ENFORCE_NAMING_STYLE_UNKNOWN",e[e.STYLE2024=1]="STYLE2024",e[e.STYLE_LEGACY=2]="STYLE_LEGACY",e[e.STYLE2026=
3]="STYLE2026"})(gc||(gc={}));var fc;(function(e){e[e.NONE=0]="NONE",e[e.SET=1]="SET",e[e.ALIAS=2]="ALIAS"})(fc||(fc={}));var hc;(function(e){e[e.EDITION_UNKNOWN=0]="EDITION_UNKNOWN",e[e.EDITION_LEGACY=900]="EDITION_LEGACY",e[e.EDITION_PROTO2=998]="EDITION_PROTO2",e[e.EDITION_PROTO3=
999]="EDITION_PROTO3",e[e.EDITION_2023=1e3]="EDITION_2023",e[e.EDITION_2024=1001]="EDITION_2024",e[e.EDITION_2026=1002]="EDITION_2026",e[e.EDITION_UNSTABLE=9999]=
"EDITION_UNSTABLE",e[e.EDITION_1_TEST_ONLY=1]="EDITION_1_TEST_ONLY",e[e.EDITION_2_TEST_ONLY=2]="EDITION_2_TEST_ONLY",e[e.EDITION_99997_TEST_ONLY=99997]="EDITION\
_99997_TEST_ONLY",e[e.EDITION_99998_TEST_ONLY=99998]="EDITION_99998_TEST_ONLY",e[e.EDITION_99999_TEST_ONLY=99999]="EDITION_99999_TEST_ONLY",e[e.EDITION_MAX=2147483647]=
"EDITION_MAX"})(hc||(hc={}));var bc;(function(e){e[e.VISIBILITY_UNSET=0]="VISIBILITY_UNSET",e[e.VISIBILITY_LOCAL=1]="VISIBILITY_LOCAL",e[e.VISIBILITY_EXPORT=2]="VISIBILITY_EXPORT"})(bc||(bc=
{}));function S(e,t){var n;let r=H(yc,bt(e));return r.messageType.forEach(Qt),r.dependency=(n=t?.map(o=>o.proto.name))!==null&&n!==void 0?n:[],Qn(r,o=>t?.find(a=>a.proto.
name===o)).getFile(r.name)}var fo=S("Chlnb29nbGUvcHJvdG9idWYvYW55LnByb3RvEg9nb29nbGUucHJvdG9idWYiJgoDQW55EhAKCHR5cGVfdXJsGAEgASgJEg0KBXZhbHVlGAIgASgMQnYKE2NvbS5nb29nbGUucHJvdG9idWZCCEFueV\
Byb3RvUAFaLGdvb2dsZS5nb2xhbmcub3JnL3Byb3RvYnVmL3R5cGVzL2tub3duL2FueXBiogIDR1BCqgIeR29vZ2xlLlByb3RvYnVmLldlbGxLbm93blR5cGVzYgZwcm90bzM"),Sc=G(fo,0);function Ec(e,t,n){let r=!1;return n||(n=Y(Sc),r=!0),n.value=yt(e,t),n.typeUrl=np(t.$typeName),r?n:void 0}function tp(e,t){if(e.typeUrl==="")return!1;let n=typeof t==
"string"?t:t.typeName,r=Ac(e.typeUrl);return n===r}function Rc(e,t){if(e.typeUrl==="")return;let n=t.kind=="message"?t:t.getMessage(Ac(e.typeUrl));if(!(!n||!tp(
e,n)))return H(n,e.value)}function np(e){return`type.googleapis.com/${e}`}function Ac(e){let t=e.lastIndexOf("/"),n=t>=0?e.substring(t+1):e;if(!n.length)throw new Error(`invalid type url\
: ${e}`);return n}function Zc(e,t,...n){if(n.length==0)return e.extensions[t];let r=n.pop();return n.reduce((s,o)=>s.nestedMessages[o],e.messages[t]).nestedExtensions[r]}var ho=S("Chxnb29nbGUvcHJvdG9idWYvc3RydWN0LnByb3RvEg9nb29nbGUucHJvdG9idWYihAEKBlN0cnVjdBIzCgZmaWVsZHMYASADKAsyIy5nb29nbGUucHJvdG9idWYuU3RydWN0LkZpZWxkc0VudHJ5Gk\
UKC0ZpZWxkc0VudHJ5EgsKA2tleRgBIAEoCRIlCgV2YWx1ZRgCIAEoCzIWLmdvb2dsZS5wcm90b2J1Zi5WYWx1ZToCOAEi6gEKBVZhbHVlEjAKCm51bGxfdmFsdWUYASABKA4yGi5nb29nbGUucHJvdG9idWYuTn\
VsbFZhbHVlSAASFgoMbnVtYmVyX3ZhbHVlGAIgASgBSAASFgoMc3RyaW5nX3ZhbHVlGAMgASgJSAASFAoKYm9vbF92YWx1ZRgEIAEoCEgAEi8KDHN0cnVjdF92YWx1ZRgFIAEoCzIXLmdvb2dsZS5wcm90b2J1Zi\
5TdHJ1Y3RIABIwCgpsaXN0X3ZhbHVlGAYgASgLMhouZ29vZ2xlLnByb3RvYnVmLkxpc3RWYWx1ZUgAQgYKBGtpbmQiMwoJTGlzdFZhbHVlEiYKBnZhbHVlcxgBIAMoCzIWLmdvb2dsZS5wcm90b2J1Zi5WYWx1ZS\
obCglOdWxsVmFsdWUSDgoKTlVMTF9WQUxVRRAAQn8KE2NvbS5nb29nbGUucHJvdG9idWZCC1N0cnVjdFByb3RvUAFaL2dvb2dsZS5nb2xhbmcub3JnL3Byb3RvYnVmL3R5cGVzL2tub3duL3N0cnVjdHBi+AEBog\
IDR1BCqgIeR29vZ2xlLlByb3RvYnVmLldlbGxLbm93blR5cGVzYgZwcm90bzM"),Vc=G(ho,0),bo=G(ho,1),vc=G(ho,2),Hn;(function(e){e[e.NULL_VALUE=0]="NULL_VALUE"})(Hn||(Hn={}));function jn(e,t,n){Gc(t,e);let r=rp(e.$unknown,t),[s,o,a]=nt(t),i=Bs(n);for(let c of r)di(s,new K(c.data),o,c.wireType,i);return a()}function yo(e,t,n){var r;Gc(
t,e);let s=((r=e.$unknown)!==null&&r!==void 0?r:[]).filter(l=>l.no!==t.number),[o,a]=nt(t,n),i=new Te;ii(i,{writeUnknownFields:!0},o,a);let c=new K(i.finish());
for(;c.pos<c.len;){let[l,d]=c.tag(),p=c.skip(d,l);s.push({no:l,wireType:d,data:p})}e.$unknown=s}function So(e,t){let n=e.proto.options;if(!n){let[,,r]=nt(t);return r()}return jn(n,t)}function rp(e,t){if(e===void 0)return[];if(t.fieldKind==="enum"||t.fieldKind===
"scalar"){for(let n=e.length-1;n>=0;--n)if(e[n].no==t.number)return[e[n]];return[]}return e.filter(n=>n.no===t.number)}function nt(e,t){let n=e.typeName,r=Object.
assign(Object.assign({},e),{kind:"field",parent:e.extendee,localName:n}),s=Object.assign(Object.assign({},e.extendee),{fields:[r],members:[r],oneofs:[]}),o=Y(s,
t!==void 0?{[n]:t}:void 0);return[Ui(s,o),r,()=>{let a=o[n];if(a===void 0){let i=e.message;return z(i)?$(i.fields[0].scalar,i.fields[0].longAsString):Y(i)}return a}]}
function Gc(e,t){if(e.extendee.typeName!=t.$typeName)throw new Error(`extension ${e.typeName} can only be applied to message ${e.extendee.typeName}`)}var qn=Date.parse("0001-01-01T00:00:00Z"),er=Date.parse("9999-12-31T23:59:59Z"),tr=-315576e6,nr=315576e6;var sp=3,op=2,xc={alwaysEmitImplicit:!1,enumAsInteger:!1,useProtoFieldName:!1};function ap(e){return e?Object.assign(Object.assign({},xc),e):xc}function ip(e,t,n){
return rr(e)(ap(n),t)}function Nc(e,t,n){var r;let s=ip(e,t,n);return JSON.stringify(s,null,(r=n?.prettySpaces)!==null&&r!==void 0?r:0)}var Eo=new WeakMap;function rr(e){let t=Eo.get(e);return t===void 0&&(t=cp(e)),t}function cp(e){let t=e.typeName,n=dp(e);if(n!==void 0){let i=e.fields[0],c=(l,d)=>{
if(d.$typeName!==t&&i!==void 0)throw new M(i,`cannot use ${i} with message ${d.$typeName}`,"ForeignFieldError");return n(l,d)};return Eo.set(e,c),c}let r=e.fields.
concat().sort((i,c)=>i.number-c.number),s=r[0],o=[],a=(i,c)=>{if(c.$typeName!==t&&s!==void 0)throw new M(s,`cannot use ${s} with message ${c.$typeName}`,"Foreig\
nFieldError");let l={};for(let d=0;d<o.length;d++)o[d](i,c,l);return i.registry&&hp(l,i,i.registry,c,e),l};Eo.set(e,a);for(let i of r){let c=up(i);o.push(i.jsonName===
"__proto__"||i.name==="__proto__"?lp(c):c)}return a}function lp(e){return(t,n,r)=>{let s=Object.create(null);e(t,n,s);for(let o of Object.keys(s))w(r,o,s[o])}}function dp(e){
if(e.typeName.startsWith("google.protobuf."))switch(e.typeName){case"google.protobuf.Any":return(t,n)=>bp(n,t);case"google.protobuf.Timestamp":return(t,n)=>Ep(n);case"\
google.protobuf.Duration":return(t,n)=>yp(n);case"google.protobuf.FieldMask":return(t,n)=>Sp(n);case"google.protobuf.Struct":return(t,n)=>Wc(n);case"google.prot\
obuf.Value":return(t,n)=>Zo(n);case"google.protobuf.ListValue":return(t,n)=>Cc(n);default:if(z(e)){let t=e.fields[0],n=t.localName,r=$(t.scalar,!1),s=sr(t);return(o,a)=>{
let i=a[n];return s(o,i===void 0?r:i)}}return}}function up(e){switch(e.fieldKind){case"scalar":case"enum":case"message":return mp(e);case"list":case"map":{let t=e.
fieldKind=="list"?Fc(e):Yc(e),n=e.name,r=e.jsonName,s=e.localName;return(o,a,i)=>{let c=t(o,a[s]);c!==void 0&&(i[o.useProtoFieldName?n:r]=c)}}}}function mp(e){let t=Mc(
e),n=e.name,r=e.jsonName,s=e.localName;if(e.oneof){let o=e.oneof.localName;return(a,i,c)=>{let l=i[o];l.case===s&&(c[a.useProtoFieldName?n:r]=t(a,l.value))}}if(e.
presence!=op){let o=e.presence==sp?`cannot encode ${e} to JSON: required field not set`:void 0;return(a,i,c)=>{let l=i[s];if(l!==void 0&&Object.prototype.hasOwnProperty.
call(i,s))c[a.useProtoFieldName?n:r]=t(a,l);else if(o!==void 0)throw new Error(o)}}if(e.fieldKind=="enum"){let o=e.enum.values[0].number;return(a,i,c)=>{let l=i[s];
(l!==o||a.alwaysEmitImplicit)&&(c[a.useProtoFieldName?n:r]=t(a,l))}}switch(e.scalar){case m.BOOL:return(o,a,i)=>{let c=a[s];(c!==!1||o.alwaysEmitImplicit)&&(i[o.
useProtoFieldName?n:r]=t(o,c))};case m.STRING:return(o,a,i)=>{let c=a[s];(c!==""||o.alwaysEmitImplicit)&&(i[o.useProtoFieldName?n:r]=t(o,c))};case m.BYTES:return(o,a,i)=>{
let c=a[s];(!(c instanceof Uint8Array)||c.byteLength>0||o.alwaysEmitImplicit)&&(i[o.useProtoFieldName?n:r]=t(o,c))};case m.DOUBLE:case m.FLOAT:return(o,a,i)=>{let c=a[s];
(!Object.is(c,0)||o.alwaysEmitImplicit)&&(i[o.useProtoFieldName?n:r]=t(o,c))};default:return(o,a,i)=>{let c=a[s];(c!=0||o.alwaysEmitImplicit)&&(i[o.useProtoFieldName?
n:r]=t(o,c))}}}function pp(e){switch(e.fieldKind){case"scalar":case"enum":case"message":return Mc(e);case"list":return Fc(e);case"map":return Yc(e)}}function Mc(e){
switch(e.fieldKind){case"scalar":return sr(e);case"enum":return Ao(e);case"message":return Ro(e)}}function Ro(e){let{toMessage:t}=P(e),n=rr(e.message);return(r,s)=>n(
r,t(s))}function Fc(e){let t=gp(e);return(n,r)=>{let s=r;if(s.length==0&&!n.alwaysEmitImplicit)return;let o=[];for(let a=0;a<s.length;a++)o.push(t(n,s[a]));return o}}
function gp(e){switch(e.listKind){case"scalar":return sr(e);case"enum":return Ao(e);case"message":return Ro(e)}}function Yc(e){let t=fp(e);return(n,r)=>{let s=r,
o=Object.keys(s);if(o.length==0&&!n.alwaysEmitImplicit)return;let a={};for(let i=0;i<o.length;i++){let c=o[i];w(a,c,t(n,s[c]))}return a}}function fp(e){switch(e.
mapKind){case"scalar":return sr(e);case"enum":return Ao(e);case"message":return Ro(e)}}function Ao(e){let t=e.enum;return t.typeName=="google.protobuf.NullValue"?
(n,r)=>{if(typeof r!="number")throw Ic(t,r);return null}:(n,r)=>{var s,o;if(typeof r!="number")throw Ic(t,r);return n.enumAsInteger?r:(o=(s=t.value[r])===null||
s===void 0?void 0:s.jsonName)!==null&&o!==void 0?o:r}}function Ic(e,t){return new Error(`cannot encode ${e} to JSON: expected number, got ${k(t)}`)}function sr(e){
switch(e.scalar){case m.INT32:case m.SFIXED32:case m.SINT32:case m.FIXED32:case m.UINT32:return(t,n)=>{if(typeof n!="number")throw Zt(e,n);return n};case m.FLOAT:case m.
DOUBLE:return(t,n)=>{if(typeof n!="number")throw Zt(e,n);return Number.isNaN(n)?"NaN":n===Number.POSITIVE_INFINITY?"Infinity":n===Number.NEGATIVE_INFINITY?"-Inf\
inity":n};case m.STRING:return(t,n)=>{if(typeof n!="string")throw Zt(e,n);return n};case m.BOOL:return(t,n)=>{if(typeof n!="boolean")throw Zt(e,n);return n};case m.
UINT64:case m.FIXED64:case m.INT64:case m.SFIXED64:case m.SINT64:return(t,n)=>{if(typeof n=="bigint"||typeof n=="string"||typeof n=="number"&&Number.isInteger(n))
return n.toString();throw Zt(e,n)};case m.BYTES:return(t,n)=>{if(n instanceof Uint8Array)return Xs(n);throw Zt(e,n)}}}function Zt(e,t){var n;return new Error(`c\
annot encode ${e} to JSON: ${(n=Jn(e,t))===null||n===void 0?void 0:n.message}`)}function hp(e,t,n,r,s){let o=r.$unknown;if(o===void 0)return;let a=new Set;for(let i=0;i<
o.length;i++){let{no:c}=o[i];if(!a.has(c)){a.add(c);let l=n.getExtensionFor(s,c);if(!l)continue;let d=jn(r,l),[p,g]=nt(l,d),f=p[X],h=pp(g)(t,f[g.localName]);h!==
void 0&&(e[l.jsonName]=h)}}}function bp(e,t){if(e.typeUrl==="")return{};let{registry:n}=t,r,s;if(n&&(r=Rc(e,n),r&&(s=n.getMessage(r.$typeName))),!s||!r)throw new Error(
`cannot encode message ${e.$typeName} to JSON: "${e.typeUrl}" is not in the type registry`);let o=xn(s)?{value:rr(s)(t,r)}:rr(s)(t,r);return o["@type"]=e.typeUrl,
o}function yp(e){let t=Number(e.seconds),n=e.nanos;if(t>nr||t<tr)throw new Error(`cannot encode message ${e.$typeName} to JSON: value out of range`);if(t>0&&n<0||
t<0&&n>0)throw new Error(`cannot encode message ${e.$typeName} to JSON: nanos sign must match seconds sign`);let r=e.seconds.toString();if(n!==0){let s=Math.abs(
n).toString();s="0".repeat(9-s.length)+s,s.substring(3)==="000000"?s=s.substring(0,3):s.substring(6)==="000"&&(s=s.substring(0,6)),r+="."+s,n<0&&t==0&&(r="-"+r)}
return r+"s"}function Sp(e){return e.paths.map(t=>{if(Kn(Ne(t))!==t)throw new Error(`cannot encode message ${e.$typeName} to JSON: lowerCamelCase of path name "${t}\
" is irreversible`);return Ne(t)}).join(",")}function Wc(e){let t={},n=Object.keys(e.fields);for(let r=0;r<n.length;r++){let s=n[r];w(t,s,Zo(e.fields[s]))}return t}
function Zo(e){switch(e.kind.case){case"nullValue":return null;case"numberValue":if(!Number.isFinite(e.kind.value))throw new Error(`${e.$typeName} cannot be NaN\
 or Infinity`);return e.kind.value;case"boolValue":return e.kind.value;case"stringValue":return e.kind.value;case"structValue":return Wc(e.kind.value);case"list\
Value":return Cc(e.kind.value);default:throw new Error(`${e.$typeName} must have a value`)}}function Cc(e){return e.values.map(Zo)}function Ep(e){let t=Number(e.
seconds)*1e3;if(t<qn||t>er)throw new Error(`cannot encode message ${e.$typeName} to JSON: must be from 0001-01-01T00:00:00Z to 9999-12-31T23:59:59Z inclusive`);
if(e.nanos<0)throw new Error(`cannot encode message ${e.$typeName} to JSON: nanos must not be negative`);if(e.nanos>999999999)throw new Error(`cannot encode mes\
sage ${e.$typeName} to JSON: nanos must not be greater than 999999999`);let n="Z";if(e.nanos>0){let r=(e.nanos+1e9).toString().substring(1);r.substring(3)==="00\
0000"?n="."+r.substring(0,3)+"Z":r.substring(6)==="000"?n="."+r.substring(0,6)+"Z":n="."+r+"Z"}return new Date(t).toISOString().replace(".000Z",n)}var Rp=2;function Ap(e){return Object.assign(Object.assign({ignoreUnknownFields:!1,recursionLimit:100},e),{depth:0})}function kc(e,t,n){return Zp(e,Cp(t,e.typeName),
n)}function Zp(e,t,n){let r=Y(e);return Vp(e,r,t,n),r}function Vp(e,t,n,r){try{Vt(e)(t,n,Ap(r))}catch(s){throw Ua(s)?new Error(`cannot decode ${s.field()} from JSON: ${s.message}`,{cause:s}):s}}var Vo=new WeakMap;function Vt(e){let t=Vo.get(e);return t===void 0&&(t=vp(e)),t}function vp(e){let t=String(e),n=Gp(e);if(n!==void 0){let a=(i,c,l)=>{if(++l.depth>
l.recursionLimit)throw new Error(`cannot decode ${t} from JSON: maximum recursion depth of ${l.recursionLimit} reached`);n(i,c,l),l.depth--};return Vo.set(e,a),
a}let r=e.typeName,s=new Map,o=(a,i,c)=>{var l;if(++c.depth>c.recursionLimit)throw new Error(`cannot decode ${t} from JSON: maximum recursion depth of ${c.recursionLimit}\
 reached`);if(i==null||Array.isArray(i)||typeof i!="object")throw new Error(`cannot decode ${t} from JSON: ${k(i)}`);let d=new Map,p=new Set,g=Object.keys(i);for(let f=0;f<
g.length;f++){let h=g[f],y=i[h],E=s.get(h);if(E!==void 0){let V=E.field;if(p.has(V))throw new M(V,"set multiple times");if(p.add(V),E.oneofScalarNullSkip&&y===null)
continue;if(E.oneof){let Z=d.get(E.oneof);if(Z!==void 0)throw new M(E.oneof,`oneof set multiple times by ${Z.name} and ${V.name}`);d.set(E.oneof,V)}E.read(a,y,c)}else{
let V=h.startsWith("[")&&h.endsWith("]")?(l=c.registry)===null||l===void 0?void 0:l.getExtension(h.substring(1,h.length-1)):void 0;if(V?.extendee.typeName==r){let[
Z,T,J]=nt(V);Tc(T)(Z[X],y,c),yo(a,V,J())}if(V===void 0&&!c.ignoreUnknownFields)throw new Error(`cannot decode ${t} from JSON: key "${h}" is unknown`)}}c.depth--};
Vo.set(e,o);for(let a of e.fields){let i={read:Tc(a),field:a,oneof:a.oneof,oneofScalarNullSkip:a.oneof!==void 0&&a.fieldKind=="scalar"};s.set(a.name,i).set(a.jsonName,
i)}return o}function Gp(e){if(e.typeName.startsWith("google.protobuf."))switch(e.typeName){case"google.protobuf.Any":return(t,n,r)=>kp(t,n,r);case"google.protob\
uf.Timestamp":return(t,n)=>Xp(t,n);case"google.protobuf.Duration":return(t,n)=>Lp(t,n);case"google.protobuf.FieldMask":return(t,n)=>Up(t,n);case"google.protobuf\
.Struct":return(t,n,r)=>Bc(t,n,r);case"google.protobuf.Value":return(t,n,r)=>No(t,n,r);case"google.protobuf.ListValue":return(t,n,r)=>wc(t,n,r);default:if(z(e)){
let t=e.fields[0],n=t.localName,r=t.scalar,s=t.longAsString,o=Lc(t);return(a,i)=>{i===null?a[n]=$(r,s):a[n]=o(i)}}return}}function Tc(e){switch(e.fieldKind){case"\
scalar":return xp(e);case"enum":return Ip(e);case"message":return Np(e);case"list":return Mp(e);case"map":return Yp(e)}}function xp(e){let t=Lc(e),n=e.localName;
if(e.oneof){let s=e.oneof.localName;return(o,a)=>{o[s]={case:n,value:t(a)}}}let r=Xc(e);return(s,o)=>{o===null?r(s):s[n]=t(o)}}function Xc(e){let t=e.localName;
if(e.presence!=Rp)return s=>{delete s[t]};if(e.fieldKind=="enum"){let s=e.enum.values[0].number;return o=>{o[t]=s}}let n=e.scalar,r=e.longAsString;return s=>{s[t]=
$(n,r)}}function Ip(e){let t=vo(e.enum),n=Go(e.enum),r=e.localName,s=e.enum.typeName!="google.protobuf.NullValue";if(e.oneof){let a=e.oneof.localName;return(i,c,l)=>{
if(c===null&&s){i[a].case===r&&(i[a]={case:void 0});return}let d=t(c,l.ignoreUnknownFields);if(d===vt)return;let p=n(d);if(p!==!0)throw new M(e,re(e,d,p));i[a]=
{case:r,value:d}}}let o=Xc(e);return(a,i,c)=>{if(i===null&&s){o(a);return}let l=t(i,c.ignoreUnknownFields);if(l===vt)return;let d=n(l);if(d!==!0)throw new M(e,re(
e,l,d));a[r]=l}}function Np(e){let t=e.localName,{toMessage:n,toLocal:r}=P(e),s=Vt(e.message),o=e.message.typeName!="google.protobuf.Value";if(e.oneof){let a=e.
oneof.localName;return(i,c,l)=>{let d=i[a];if(c===null&&o){d.case===t&&(i[a]={case:void 0});return}let p=n(d.case===t?d.value:void 0);s(p,c,l),i[a]={case:t,value:r(
p)}}}return(a,i,c)=>{if(i===null&&o){delete a[t];return}let l=n(a[t]);s(l,i,c),a[t]=r(l)}}function Mp(e){let t=e.localName,n=Fp(e);return(r,s,o)=>{if(s===null)return;
if(!Array.isArray(s))throw new M(e,"expected Array, got "+k(s));let a=r[t];for(let i=0;i<s.length;i++){let c=n(s[i],o,a.length);c!==vt&&a.push(c)}}}function Fp(e){
switch(e.listKind){case"scalar":{let t=xo(e),n=Ie(e.scalar),r=Io(e);return(s,o,a)=>{if(s===null)throw new M(e,"list item must not be null");let i=t(s),c=n(i);if(c!==
!0)throw new M(e,`list item #${a+1}: ${re(e,i,c)}`);return r(i)}}case"enum":{let t=vo(e.enum),n=Go(e.enum),r=e.enum.typeName!="google.protobuf.NullValue";return(s,o,a)=>{
if(s===null&&r)throw new M(e,"list item must not be null");let i=t(s,o.ignoreUnknownFields);if(i===vt)return i;let c=n(i);if(c!==!0)throw new M(e,`list item #${a+
1}: ${re(e,i,c)}`);return i}}case"message":{let{toMessage:t,toLocal:n}=P(e),r=Vt(e.message),s=e.message.typeName!="google.protobuf.Value";return(o,a)=>{if(o===null&&
s)throw new M(e,"list item must not be null");let i=t(void 0);return r(i,o,a),n(i)}}}}function Yp(e){let t=e.localName,n=e.mapKey,r=Wp(n),s=Ie(n),o,a,i=l=>l,c=!0;
switch(e.mapKind){case"scalar":{o=xo(e),a=Ie(e.scalar),i=Io(e);break}case"enum":{let l=vo(e.enum);o=(d,p)=>l(d,p.ignoreUnknownFields),a=Go(e.enum),c=e.enum.typeName!=
"google.protobuf.NullValue";break}case"message":{let{toMessage:l,toLocal:d}=P(e),p=Vt(e.message);c=e.message.typeName!="google.protobuf.Value",o=(g,f)=>{let h=l(
void 0);return p(h,g,f),d(h)};break}}return(l,d,p)=>{if(d===null)return;if(typeof d!="object"||Array.isArray(d))throw new M(e,"expected object, got "+k(d));let g=l[t],
f=new Set,h=Object.keys(d);for(let y=0;y<h.length;y++){let E=h[y],V=d[E],Z=r(E);if(f.has(Z))throw new M(e,`duplicate map key "${E}"`);if(f.add(Z),V===null&&c)throw new M(
e,"map value must not be null");let T=o(V,p);if(T===vt)continue;let J=s(Z);if(J!==!0)throw new M(e,`invalid map key: ${re({scalar:n},Z,J)}`);if(a!==void 0){let Ce=a(
T);if(Ce!==!0)throw new M(e,`map entry ${k(Z)}: ${re(e,T,Ce)}`)}w(g,Z,i(T))}}}var vt=Symbol();function vo(e){let t=e.values[0].number,n=new Map;for(let r of e.values)
n.set(r.jsonName,r.number);for(let r of e.values)n.set(r.name,r.number);return(r,s)=>{if(r===null)return t;switch(typeof r){case"number":if(Number.isInteger(r))
return r;break;case"string":{let o=n.get(r);if(o!==void 0)return o;if(s)return vt;break}}throw new Error(`cannot decode ${e} from JSON: ${k(r)}`)}}function Go(e){
if(e.open)return Ie(m.INT32);let t=e.values;return n=>t.some(r=>r.number===n)}function Lc(e){let t=xo(e),n=Ie(e.scalar),r=Io(e);return s=>{let o=t(s),a=n(o);if(a!==
!0)throw new M(e,re(e,o,a));return r(o)}}function xo(e){switch(e.scalar){case m.DOUBLE:case m.FLOAT:return t=>{if(t==="NaN")return NaN;if(t==="Infinity")return Number.
POSITIVE_INFINITY;if(t==="-Infinity")return Number.NEGATIVE_INFINITY;if(typeof t=="number"){if(Number.isNaN(t))throw new M(e,"unexpected NaN number");if(!Number.
isFinite(t))throw new M(e,"unexpected infinite number");return t}if(typeof t=="string"){if(t===""||t.trim().length!==t.length)return t;let n=Number(t);return Number.
isFinite(n)?n:t}return t};case m.INT32:case m.FIXED32:case m.SFIXED32:case m.SINT32:case m.UINT32:return Uc;case m.BYTES:return t=>{if(typeof t=="string"){if(t===
"")return new Uint8Array(0);try{return bt(t)}catch(n){let r=n instanceof Error?n.message:String(n);throw new M(e,r)}}return t};default:return t=>t}}function Io(e){
let t=e.fieldKind!=="map"&&e.longAsString;switch(e.scalar){case m.INT64:case m.SFIXED64:case m.SINT64:return t?n=>String(n):n=>typeof n=="string"||typeof n=="nu\
mber"?I.parse(n):n;case m.FIXED64:case m.UINT64:return t?n=>String(n):n=>typeof n=="string"||typeof n=="number"?I.uParse(n):n;default:return n=>n}}function Wp(e){
switch(e){case m.BOOL:return t=>{switch(t){case"true":return!0;case"false":return!1}return t};case m.INT32:case m.FIXED32:case m.UINT32:case m.SFIXED32:case m.SINT32:
return Uc;case m.INT64:case m.SINT64:case m.SFIXED64:case m.UINT64:case m.FIXED64:return t=>/^-?0+$/.test(t)?"0":t.replace(/^(-?)0+(?=\d)/,"$1");default:return t=>t}}
function Uc(e){if(typeof e=="string"){if(e===""||e.trim().length!==e.length)return e;let t=Number(e);return Number.isNaN(t)?e:t}return e}function Cp(e,t){let n;
try{n=JSON.parse(e)}catch(r){let s=r instanceof Error?r.message:String(r);throw new Error(`cannot decode message ${t} from JSON: ${s}`,{cause:r})}return Tp(e,t),
n}function Tp(e,t){let n=[],r=!1,s=0;for(;s<e.length;)switch(e[s]){case"{":n.push(new Set),r=!0,s++;break;case"[":n.push(null),r=!1,s++;break;case"}":case"]":n.
pop(),r=!1,s++;break;case",":r=n[n.length-1]!=null,s++;break;case":":r=!1,s++;break;case'"':{let o=s++,a=!1;for(;s<e.length;){if(e[s]=="\\"){a=!0,s+=2;continue}
if(e[s]=='"')break;s++}let i=s++,c=n[n.length-1];if(r&&c){let l=a?JSON.parse(e.substring(o,i+1)):e.substring(o+1,i);if(c.has(l))throw new Error(`cannot decode m\
essage ${t} from JSON: duplicate object key "${l}"`);c.add(l)}r=!1;break}default:s++;break}}function kp(e,t,n){var r;if(t===null||Array.isArray(t)||typeof t!="o\
bject")throw new Error(`cannot decode message ${e.$typeName} from JSON: expected object but got ${k(t)}`);if(Object.keys(t).length==0)return;let s=t["@type"];if(typeof s!=
"string"||s=="")throw new Error(`cannot decode message ${e.$typeName} from JSON: "@type" is empty`);let o=s.includes("/")?s.substring(s.lastIndexOf("/")+1):s;if(!o.
length)throw new Error(`cannot decode message ${e.$typeName} from JSON: "@type" is invalid`);let a=(r=n.registry)===null||r===void 0?void 0:r.getMessage(o);if(!a)
throw new Error(`cannot decode message ${e.$typeName} from JSON: ${s} is not in the type registry`);let i=Y(a);if(xn(a)&&Object.prototype.hasOwnProperty.call(t,
"value"))Vt(a)(i,t.value,n);else{let c={};for(let l of Object.keys(t))l!=="@type"&&w(c,l,t[l]);Vt(a)(i,c,n)}Ec(a,i,e)}function Xp(e,t){if(typeof t!="string")throw new Error(
`cannot decode message ${e.$typeName} from JSON: ${k(t)}`);let n=t.match(/^([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]{1,9}))?(?:Z|([+-][0-9][0-9]:[0-9][0-9]))$/);
if(!n)throw new Error(`cannot decode message ${e.$typeName} from JSON: invalid RFC 3339 string`);let r=Date.parse(n[1]+"-"+n[2]+"-"+n[3]+"T"+n[4]+":"+n[5]+":"+n[6]+
(n[8]?n[8]:"Z"));if(Number.isNaN(r))throw new Error(`cannot decode message ${e.$typeName} from JSON: invalid RFC 3339 string`);if(r<qn||r>er)throw new Error(`ca\
nnot decode message ${e.$typeName} from JSON: must be from 0001-01-01T00:00:00Z to 9999-12-31T23:59:59Z inclusive`);e.seconds=I.parse(r/1e3),e.nanos=0,n[7]&&(e.
nanos=parseInt("1"+n[7]+"0".repeat(9-n[7].length))-1e9)}function Lp(e,t){if(typeof t!="string")throw new Error(`cannot decode message ${e.$typeName} from JSON: ${k(
t)}`);let n=t.match(/^(-?[0-9]+)(?:\.([0-9]+))?s/);if(n===null)throw new Error(`cannot decode message ${e.$typeName} from JSON: ${k(t)}`);let r=Number(n[1]);if(r>
nr||r<tr)throw new Error(`cannot decode message ${e.$typeName} from JSON: ${k(t)}`);if(e.seconds=I.parse(r),typeof n[2]!="string")return;let s=n[2]+"0".repeat(9-
n[2].length);e.nanos=parseInt(s),(r<0||Object.is(r,-0))&&(e.nanos=-e.nanos)}function Up(e,t){if(typeof t!="string")throw new Error(`cannot decode message ${e.$typeName}\
 from JSON: ${k(t)}`);t!==""&&(e.paths=t.split(",").map(n=>{if(n.includes("_"))throw new Error(`cannot decode message ${e.$typeName} from JSON: path names must \
be lowerCamelCase`);return Kn(n)}))}function Bc(e,t,n){if(typeof t!="object"||t==null||Array.isArray(t))throw new Error(`cannot decode message ${e.$typeName} fr\
om JSON ${k(t)}`);let r=Object.keys(t);for(let s=0;s<r.length;s++){let o=r[s],a=Y(bo);No(a,t[o],n),w(e.fields,o,a)}}function No(e,t,n){if(++n.depth>n.recursionLimit)
throw new Error(`cannot decode ${e.$typeName} from JSON: maximum recursion depth of ${n.recursionLimit} reached`);switch(typeof t){case"number":e.kind={case:"nu\
mberValue",value:t};break;case"string":e.kind={case:"stringValue",value:t};break;case"boolean":e.kind={case:"boolValue",value:t};break;case"object":if(t===null)
e.kind={case:"nullValue",value:Hn.NULL_VALUE};else if(Array.isArray(t)){let r=Y(vc);wc(r,t,n),e.kind={case:"listValue",value:r}}else{let r=Y(Vc);Bc(r,t,n),e.kind=
{case:"structValue",value:r}}break;default:throw new Error(`cannot decode message ${e.$typeName} from JSON ${k(t)}`)}return n.depth--,e}function wc(e,t,n){if(!Array.
isArray(t))throw new Error(`cannot decode message ${e.$typeName} from JSON ${k(t)}`);for(let r=0;r<t.length;r++){let s=Y(bo);No(s,t[r],n),e.values.push(s)}}var v;(function(e){e[e.Canceled=1]="Canceled",e[e.Unknown=2]="Unknown",e[e.InvalidArgument=3]="InvalidArgument",e[e.DeadlineExceeded=4]="DeadlineExceeded",e[e.NotFound=
5]="NotFound",e[e.AlreadyExists=6]="AlreadyExists",e[e.PermissionDenied=7]="PermissionDenied",e[e.ResourceExhausted=8]="ResourceExhausted",e[e.FailedPrecondition=
9]="FailedPrecondition",e[e.Aborted=10]="Aborted",e[e.OutOfRange=11]="OutOfRange",e[e.Unimplemented=12]="Unimplemented",e[e.Internal=13]="Internal",e[e.Unavailable=
14]="Unavailable",e[e.DataLoss=15]="DataLoss",e[e.Unauthenticated=16]="Unauthenticated"})(v||(v={}));function Mo(e){let t=v[e];return typeof t!="string"?e.toString():t[0].toLowerCase()+t.substring(1).replace(/[A-Z]/g,n=>"_"+n.toLowerCase())}var x=class e extends Error{constructor(t,n=v.Unknown,r,s,o){super(Bp(t,n)),this.name="ConnectError",this.isWireError=!1,Object.setPrototypeOf(this,new.target.prototype),
this.rawMessage=t,this.code=n,this.metadata=new Headers(r??{}),this.details=s??[],this.cause=o}static from(t,n=v.Unknown){return t instanceof e?t:t instanceof Error?
t.name=="AbortError"||t.name=="TimeoutError"?new e(t.message,v.Canceled):new e(t.message,n,void 0,void 0,t):new e(String(t),n,void 0,void 0,t)}static[Symbol.hasInstance](t){
return t instanceof Error?Object.getPrototypeOf(t)===e.prototype?!0:t.name==="ConnectError"&&"code"in t&&typeof t.code=="number"&&"metadata"in t&&"details"in t&&
Array.isArray(t.details)&&"rawMessage"in t&&typeof t.rawMessage=="string"&&"cause"in t:!1}findDetails(t){let n=t.kind==="message"?{getMessage:s=>s===t.typeName?
t:void 0}:t,r=[];for(let s of this.details){if("desc"in s){n.getMessage(s.desc.typeName)&&r.push(Y(s.desc,s.value));continue}let o=n.getMessage(s.type);if(o)try{
r.push(H(o,s.value))}catch{}}return r}};function Bp(e,t){return e.length?`[${Mo(t)}] ${e}`:`[${Mo(t)}]`}function _c(e,t,n){try{let r=bt(e);return t?H(t,r,n):r}catch(r){throw x.from(r,v.DataLoss)}}function $c(e,t){let n={};for(let r of e.methods){let s=t(r);s!=null&&(n[r.localName]=s)}return n}var or=1;function Jc(e,t,n=!1){if(t>e){let r=`message size is larger than configured readMaxBytes ${e}`;throw n&&(r=`message size ${t} is larger than configured readMaxB\
ytes ${e}`),new x(r,v.ResourceExhausted)}}function wp(e){return new Fo(e)}var Fo=class{constructor(t){this.readMaxBytes=t,this.header=new Uint8Array(5),this.headerView=new DataView(this.header.buffer),this.
buf=[]}get byteLength(){return this.buf.reduce((t,n)=>t+n.byteLength,0)}decode(t){this.buf.push(t);let n=[];for(;;){let r=this.pop();if(!r)break;n.push(r)}return n}pop(){
if(!(!this.env&&(this.env=this.head(),!this.env))&&this.cons(this.env.data)){let t=this.env;return this.env=void 0,t}}head(){if(!this.cons(this.header))return;let t=this.
headerView.getUint8(0),n=this.headerView.getUint32(1);return Jc(this.readMaxBytes,n,!0),{flags:t,data:new Uint8Array(n)}}cons(t){let n=t.byteLength;if(this.byteLength<
n)return!1;let r=0;for(;r<n;){let s=this.buf.shift();s.byteLength>n-r?(t.set(s.subarray(0,n-r),r),this.buf.unshift(s.subarray(n-r)),r+=n-r):(t.set(s,r),r+=s.byteLength)}
return!0}};function ar(e){let t,n=wp(4294967295);return new ReadableStream({start(){t=e.getReader()},async pull(r){let s=!1;for(;!s;){let o=await t.read();if(o.
done)n.byteLength>0&&r.error(new x("protocol error: incomplete envelope",v.InvalidArgument)),r.close();else for(let a of n.decode(o.value))r.enqueue(a),s=!0}}})}function ir(e,t){let n=new Uint8Array(t.length+5);n.set(t,5);let r=new DataView(n.buffer,n.byteOffset,n.byteLength);return r.setUint8(0,e),r.setUint32(1,t.length),
n}var _p=function(e){if(!Symbol.asyncIterator)throw new TypeError("Symbol.asyncIterator is not defined.");var t=e[Symbol.asyncIterator],n;return t?t.call(e):(e=typeof __values==
"function"?__values(e):e[Symbol.iterator](),n={},r("next"),r("throw"),r("return"),n[Symbol.asyncIterator]=function(){return this},n);function r(o){n[o]=e[o]&&function(a){
return new Promise(function(i,c){a=e[o](a),s(i,c,a.done,a.value)})}}function s(o,a,i,c){Promise.resolve(c).then(function(l){o({value:l,done:i})},a)}},jt=function(e){
return this instanceof jt?(this.v=e,this):new jt(e)},$p=function(e,t,n){if(!Symbol.asyncIterator)throw new TypeError("Symbol.asyncIterator is not defined.");var r=n.
apply(e,t||[]),s,o=[];return s=Object.create((typeof AsyncIterator=="function"?AsyncIterator:Object).prototype),i("next"),i("throw"),i("return",a),s[Symbol.asyncIterator]=
function(){return this},s;function a(f){return function(h){return Promise.resolve(h).then(f,p)}}function i(f,h){r[f]&&(s[f]=function(y){return new Promise(function(E,V){
o.push([f,y,E,V])>1||c(f,y)})},h&&(s[f]=h(s[f])))}function c(f,h){try{l(r[f](h))}catch(y){g(o[0][3],y)}}function l(f){f.value instanceof jt?Promise.resolve(f.value.
v).then(d,p):g(o[0][2],f)}function d(f){c("next",f)}function p(f){c("throw",f)}function g(f,h){f(h),o.shift(),o.length&&c(o[0][0],o[0][1])}},Jp=function(e){var t,
n;return t={},r("next"),r("throw",function(s){throw s}),r("return"),t[Symbol.iterator]=function(){return this},t;function r(s,o){t[s]=e[s]?function(a){return(n=
!n)?{value:jt(e[s](a)),done:!1}:o?o(a):a}:o}};function Dc(e){return $p(this,arguments,function*(){yield jt(yield*Jp(_p(e)))})}var Oc=function(e){if(!Symbol.asyncIterator)throw new TypeError("Symbol.asyncIterator is not defined.");var t=e[Symbol.asyncIterator],n;return t?t.call(e):(e=typeof __values==
"function"?__values(e):e[Symbol.iterator](),n={},r("next"),r("throw"),r("return"),n[Symbol.asyncIterator]=function(){return this},n);function r(o){n[o]=e[o]&&function(a){
return new Promise(function(i,c){a=e[o](a),s(i,c,a.done,a.value)})}}function s(o,a,i,c){Promise.resolve(c).then(function(l){o({value:l,done:i})},a)}},Gt=function(e){
return this instanceof Gt?(this.v=e,this):new Gt(e)},Dp=function(e){var t,n;return t={},r("next"),r("throw",function(s){throw s}),r("return"),t[Symbol.iterator]=
function(){return this},t;function r(s,o){t[s]=e[s]?function(a){return(n=!n)?{value:Gt(e[s](a)),done:!1}:o?o(a):a}:o}},Op=function(e,t,n){if(!Symbol.asyncIterator)
throw new TypeError("Symbol.asyncIterator is not defined.");var r=n.apply(e,t||[]),s,o=[];return s=Object.create((typeof AsyncIterator=="function"?AsyncIterator:
Object).prototype),i("next"),i("throw"),i("return",a),s[Symbol.asyncIterator]=function(){return this},s;function a(f){return function(h){return Promise.resolve(
h).then(f,p)}}function i(f,h){r[f]&&(s[f]=function(y){return new Promise(function(E,V){o.push([f,y,E,V])>1||c(f,y)})},h&&(s[f]=h(s[f])))}function c(f,h){try{l(r[f](
h))}catch(y){g(o[0][3],y)}}function l(f){f.value instanceof Gt?Promise.resolve(f.value.v).then(d,p):g(o[0][2],f)}function d(f){c("next",f)}function p(f){c("thro\
w",f)}function g(f,h){f(h),o.shift(),o.length&&c(o[0][0],o[0][1])}};function qt(e,t){return $c(e,n=>{switch(n.methodKind){case"unary":return Kp(t,n);case"server\
_streaming":return Pp(t,n);case"client_streaming":return Qp(t,n);case"bidi_streaming":return zp(t,n);default:return null}})}function Kp(e,t){return async(n,r)=>{
var s,o;let a=await e.unary(t,r?.signal,r?.timeoutMs,r?.headers,n,r?.contextValues);return(s=r?.onHeader)===null||s===void 0||s.call(r,a.header),(o=r?.onTrailer)===
null||o===void 0||o.call(r,a.trailer),a.message}}function Pp(e,t){return(n,r)=>Kc(e.stream(t,r?.signal,r?.timeoutMs,r?.headers,Dc([n]),r?.contextValues),r)}function Qp(e,t){
return async(n,r)=>{var s,o,a,i,c,l;let d=await e.stream(t,r?.signal,r?.timeoutMs,r?.headers,n,r?.contextValues);(c=r?.onHeader)===null||c===void 0||c.call(r,d.
header);let p,g=0;try{for(var f=!0,h=Oc(d.message),y;y=await h.next(),s=y.done,!s;f=!0)i=y.value,f=!1,p=i,g++}catch(E){o={error:E}}finally{try{!f&&!s&&(a=h.return)&&
await a.call(h)}finally{if(o)throw o.error}}if(!p)throw new x("protocol error: missing response message",v.Unimplemented);if(g>1)throw new x("protocol error: re\
ceived extra messages for client streaming method",v.Unimplemented);return(l=r?.onTrailer)===null||l===void 0||l.call(r,d.trailer),p}}function zp(e,t){return(n,r)=>Kc(
e.stream(t,r?.signal,r?.timeoutMs,r?.headers,n,r?.contextValues),r)}function Kc(e,t){let n=(function(){return Op(this,arguments,function*(){var r,s;let o=yield Gt(
e);(r=t?.onHeader)===null||r===void 0||r.call(t,o.header),yield Gt(yield*Dp(Oc(o.message))),(s=t?.onTrailer)===null||s===void 0||s.call(t,o.trailer)})})()[Symbol.
asyncIterator]();return{[Symbol.asyncIterator]:()=>({next:()=>n.next()})}}function Pc(...e){let t=new AbortController,n=e.filter(s=>s!==void 0).concat(t.signal);for(let s of n){if(s.aborted){r.apply(s);break}s.addEventListener("abort",
r)}function r(){t.signal.aborted||t.abort(cr(this));for(let s of n)s.removeEventListener("abort",r)}return t}function Qc(e){let t=new AbortController,n=()=>{t.abort(
new x("the operation timed out",v.DeadlineExceeded))},r;return e!==void 0&&(e<=0?n():r=setTimeout(n,e)),{signal:t.signal,cleanup:()=>clearTimeout(r)}}function cr(e){
if(!e.aborted)return;if(e.reason!==void 0)return e.reason;let t=new Error("This operation was aborted");return t.name="AbortError",t}function lr(){return{get(e){return e.id in this?this[e.id]:e.defaultValue},set(e,t){return this[e.id]=t,this},delete(e){return delete this[e.id],this}}}function dr(e){let t=new Headers,n=new TextDecoder().decode(e).split(`\r
`);for(let r of n){if(r==="")continue;let s=r.indexOf(":");if(s>0){let o=r.substring(0,s).trim(),a=r.substring(s+1).trim();t.append(o,a)}}return t}var Yo="Content-Type";var Wo="Grpc-Timeout",ue="Grpc-Status",en="Grpc-Message";var Co="Grpc-Status-Details-Bin";var ur="User-Agent";var To="X-User-Agent",Hc="X-Grpc-Web";var jc="application/grpc-web+proto",qc="application/grpc-web+json";function ke(e,t,...n){if(n.length>0)throw new Error;return e.services[t]}var jp=S("CgxzdGF0dXMucHJvdG8SCmdvb2dsZS5ycGMiTgoGU3RhdHVzEgwKBGNvZGUYASABKAUSDwoHbWVzc2FnZRgCIAEoCRIlCgdkZXRhaWxzGAMgAygLMhQuZ29vZ2xlLnByb3RvYnVmLkFueUJeCg5jb2\
0uZ29vZ2xlLnJwY0ILU3RhdHVzUHJvdG9QAVo3Z29vZ2xlLmdvbGFuZy5vcmcvZ2VucHJvdG8vZ29vZ2xlYXBpcy9ycGMvc3RhdHVzO3N0YXR1c6ICA1JQQ2IGcHJvdG8z",[fo]),el=G(jp,0);var tl="0";function mr(e){var t;let n=e.get(Co);if(n!=null){let s=_c(n,el);if(s.code==0)return;let o=new x(s.message,s.code,e);return o.details=s.details.map(a=>({type:a.typeUrl.
substring(a.typeUrl.lastIndexOf("/")+1),value:a.value})),o.isWireError=!0,o}let r=e.get(ue);if(r!=null){if(r===tl)return;let s=parseInt(r,10),o;return s in v?o=
new x(decodeURIComponent((t=e.get(en))!==null&&t!==void 0?t:""),s,e):o=new x(`invalid grpc-status: ${r}`,v.Internal,e),o.isWireError=!0,o}}function pr(e,t){return e.toString().replace(/\/?$/,`/${t.parent.typeName}/${t.name}`)}function ko(e,t){return Y(e,t)}function nl(e,t){function n(r){return r.done===!0?r:{done:r.done,value:ko(e,r.value)}}return{[Symbol.asyncIterator](){let r=t[Symbol.
asyncIterator](),s={next:()=>r.next().then(n)};return r.throw!==void 0&&(s.throw=o=>r.throw(o).then(n)),r.return!==void 0&&(s.return=o=>r.return(o).then(n)),s}}}function Xo(e,t){if(!t)return e;for(let n of t.concat().reverse())e=n(e);return e}function ol(e){var t;let n=Object.assign({},e);return(t=n.ignoreUnknownFields)!==null&&t!==void 0||(n.ignoreUnknownFields=!0),n}function gr(e,t,n,r){let s=t?rl(e.input,r):sl(e.input,n);return{parse:(t?rl(e.output,r):sl(e.output,n)).parse,serialize:s.serialize}}function rl(e,t){return{parse(n){try{return H(e,n,t)}catch(r){let s=r instanceof Error?r.message:String(r);throw new x(`parse binary: ${s}`,v.Internal)}},serialize(n){
try{return yt(e,n,t)}catch(r){let s=r instanceof Error?r.message:String(r);throw new x(`serialize binary: ${s}`,v.Internal)}}}}function sl(e,t){var n,r;let s=(n=
t?.textEncoder)!==null&&n!==void 0?n:new TextEncoder,o=(r=t?.textDecoder)!==null&&r!==void 0?r:new TextDecoder,a=ol(t);return{parse(i){try{let c=o.decode(i);return kc(
e,c,a)}catch(c){throw x.from(c,v.InvalidArgument)}},serialize(i){try{let c=Nc(e,i,a);return s.encode(c)}catch(c){throw x.from(c,v.Internal)}}}}function Lo(e){let t=Xo(e.next,e.interceptors),[n,r,s]=al(e),o=Object.assign(Object.assign({},e.req),{message:ko(e.req.method.input,e.req.message),signal:n});return t(
o).then(a=>(s(),a),r)}function Uo(e){let t=Xo(e.next,e.interceptors),[n,r,s]=al(e),o=Object.assign(Object.assign({},e.req),{message:nl(e.req.method.input,e.req.
message),signal:n}),a=!1;return n.addEventListener("abort",function(){var i,c;let l=e.req.message[Symbol.asyncIterator]();a||(i=l.throw)===null||i===void 0||i.call(
l,this.reason).catch(()=>{}),(c=l.return)===null||c===void 0||c.call(l).catch(()=>{})}),t(o).then(i=>Object.assign(Object.assign({},i),{message:{[Symbol.asyncIterator](){
let c=i.message[Symbol.asyncIterator]();return{next(){return!a&&n.aborted?r(cr(n)):c.next().then(l=>(l.done==!0&&(a=!0,s()),l),r)}}}}}),r)}function al(e){let{signal:t,
cleanup:n}=Qc(e.timeoutMs),r=Pc(e.signal,t);return[r.signal,function(o){let a=r.signal.aborted?x.from(cr(r.signal),v.Canceled):x.from(o);return r.abort(a),n(),Promise.
reject(a)},function(){n(),r.abort()}]}var fr=S("Ch1icmlkZ2VtYXN0ZXIvdjEvcmVmdXNhbC5wcm90bxIPYnJpZGdlbWFzdGVyLnYxKnoKDVJlZnVzYWxBZHZpY2USHgoaUkVGVVNBTF9BRFZJQ0VfVU5TUEVDSUZJRUQQABIYChRSRUZVU0FMX0FEVk\
lDRV9SRVRSWRABEhYKElJFRlVTQUxfQURWSUNFX0ZJWBACEhcKE1JFRlVTQUxfQURWSUNFX1NUT1AQAyqRGQoNUmVmdXNhbFJlYXNvbhIeChpSRUZVU0FMX1JFQVNPTl9VTlNQRUNJRklFRBAAEjoKHVJFRlVTQU\
xfUkVBU09OX1RJQ0tFVF9NSVNTSU5HEAEaF4i1GAKStRgPVU5BVVRIRU5USUNBVEVEEjoKHVJFRlVTQUxfUkVBU09OX1RJQ0tFVF9VTktOT1dOEAIaF4i1GAKStRgPVU5BVVRIRU5USUNBVEVEEjsKHVJFRlVTQU\
xfUkVBU09OX0hFTExPX0VYUEVDVEVEEAMaGIi1GAKStRgQSU5WQUxJRF9BUkdVTUVOVBI4ChlSRUZVU0FMX1JFQVNPTl9IRUxMT19MQVRFEAQaGYi1GAGStRgRREVBRExJTkVfRVhDRUVERUQSOwodUkVGVVNBTF\
9SRUFTT05fSEVMTE9fUkVQRUFURUQQBRoYiLUYApK1GBBJTlZBTElEX0FSR1VNRU5UEk0KLFJFRlVTQUxfUkVBU09OX1BST1RPQ09MX1JFVklTSU9OX1VOU1VQUE9SVEVEEAYaG4i1GAKStRgTRkFJTEVEX1BSRU\
NPTkRJVElPThI/Ch5SRUZVU0FMX1JFQVNPTl9HQU1FX05PVF9QTEFZRUQQBxobiLUYApK1GBNGQUlMRURfUFJFQ09ORElUSU9OEi4KGVJFRlVTQUxfUkVBU09OX1NVUEVSU0VERUQQCBoPiLUYA5K1GAdBQk9SVE\
VEEjsKGlJFRlVTQUxfUkVBU09OX1NFQVRfQ0xPU0VEEAkaG4i1GAOStRgTRkFJTEVEX1BSRUNPTkRJVElPThI8ChxSRUZVU0FMX1JFQVNPTl9TTE9XX0NPTlNVTUVSEAoaGoi1GAGStRgSUkVTT1VSQ0VfRVhIQV\
VTVEVEEj4KIFJFRlVTQUxfUkVBU09OX01BTEZPUk1FRF9NRVNTQUdFEAsaGIi1GAKStRgQSU5WQUxJRF9BUkdVTUVOVBJDCiJSRUZVU0FMX1JFQVNPTl9CT1RfVkVSU0lPTl9ESUZGRVJTEAwaG4i1GAKStRgTRk\
FJTEVEX1BSRUNPTkRJVElPThI9ChxSRUZVU0FMX1JFQVNPTl9TVEFMRV9SRVFVRVNUEA0aG4i1GAKStRgTRkFJTEVEX1BSRUNPTkRJVElPThI8Ch5SRUZVU0FMX1JFQVNPTl9VTktOT1dOX1JFUVVFU1QQDhoYiL\
UYApK1GBBJTlZBTElEX0FSR1VNRU5UEj8KIVJFRlVTQUxfUkVBU09OX0lOREVYX09VVF9PRl9SQU5HRRAPGhiItRgCkrUYEElOVkFMSURfQVJHVU1FTlQSPwohUkVGVVNBTF9SRUFTT05fTUFMRk9STUVEX0RFQ0\
lTSU9OEBAaGIi1GAKStRgQSU5WQUxJRF9BUkdVTUVOVBI9Ch9SRUZVU0FMX1JFQVNPTl9JTExFR0FMX0RFQ0lTSU9OEBEaGIi1GAKStRgQSU5WQUxJRF9BUkdVTUVOVBI6ChxSRUZVU0FMX1JFQVNPTl9JTlZBTE\
lEX0ZJRUxEEBIaGIi1GAKStRgQSU5WQUxJRF9BUkdVTUVOVBIzChxSRUZVU0FMX1JFQVNPTl9NQVRDSF9VTktOT1dOEBMaEYi1GAKStRgJTk9UX0ZPVU5EEj0KHFJFRlVTQUxfUkVBU09OX01BVENIX1JVTk5JTk\
cQFBobiLUYAZK1GBNGQUlMRURfUFJFQ09ORElUSU9OEjwKHFJFRlVTQUxfUkVBU09OX0xJTUlUX1JFQUNIRUQQFRoaiLUYAZK1GBJSRVNPVVJDRV9FWEhBVVNURUQSNwoeUkVGVVNBTF9SRUFTT05fU0VSVkVSX1\
NUT1BQSU5HEBYaE4i1GAGStRgLVU5BVkFJTEFCTEUSPwoeUkVGVVNBTF9SRUFTT05fTUFUQ0hfQ0FOQ0VMTEVEEBcaG4i1GAOStRgTRkFJTEVEX1BSRUNPTkRJVElPThI7ChpSRUZVU0FMX1JFQVNPTl9NQVRDSF\
9FTkRFRBAYGhuItRgDkrUYE0ZBSUxFRF9QUkVDT05ESVRJT04SOgoZUkVGVVNBTF9SRUFTT05fU0VBVF9UQUtFThAZGhuItRgCkrUYE0ZBSUxFRF9QUkVDT05ESVRJT04SQQolUkVGVVNBTF9SRUFTT05fSURFTV\
BPVEVOQ1lfS0VZX1JFVVNFRBAaGhaItRgCkrUYDkFMUkVBRFlfRVhJU1RTEj0KHFJFRlVTQUxfUkVBU09OX0dST1VQX1JVTk5JTkcQGxobiLUYAZK1GBNGQUlMRURfUFJFQ09ORElUSU9OEjsKHVJFRlVTQUxfUk\
VBU09OX1JFUExBWV9JTlZBTElEEBwaGIi1GAKStRgQSU5WQUxJRF9BUkdVTUVOVBI2Ch1SRUZVU0FMX1JFQVNPTl9TVE9SQUdFX0ZBSUxFRBAeGhOItRgBkrUYC1VOQVZBSUxBQkxFEjcKGlJFRlVTQUxfUkVBU0\
9OX0tFWV9NSVNTSU5HEB8aF4i1GAKStRgPVU5BVVRIRU5USUNBVEVEEjcKGlJFRlVTQUxfUkVBU09OX0tFWV9VTktOT1dOECAaF4i1GAKStRgPVU5BVVRIRU5USUNBVEVEEjcKGlJFRlVTQUxfUkVBU09OX0tFWV\
9SRVZPS0VEECEaF4i1GAKStRgPVU5BVVRIRU5USUNBVEVEEjsKHFJFRlVTQUxfUkVBU09OX1NDT1BFX01JU1NJTkcQIhoZiLUYApK1GBFQRVJNSVNTSU9OX0RFTklFRBJBCiJSRUZVU0FMX1JFQVNPTl9TRUFUX0\
9GX0FOT1RIRVJfS0VZECMaGYi1GAKStRgRUEVSTUlTU0lPTl9ERU5JRUQSNwoeUkVGVVNBTF9SRUFTT05fS0VZU19VTlJFQURBQkxFECQaE4i1GAGStRgLVU5BVkFJTEFCTEUSOAodUkVGVVNBTF9SRUFTT05fTU\
VUSE9EX1VOS05PV04QJRoViLUYApK1GA1VTklNUExFTUVOVEVEEkEKJlJFRlVTQUxfUkVBU09OX0NPTVBSRVNTSU9OX1VOU1VQUE9SVEVEECYaFYi1GAKStRgNVU5JTVBMRU1FTlRFRBIyChtSRUZVU0FMX1JFQV\
NPTl9EQVRBX0RBTUFHRUQQJxoRiLUYA5K1GAlEQVRBX0xPU1MSNwoeUkVGVVNBTF9SRUFTT05fTk9ERV9TVVBFUlNFREVEECgaE4i1GAGStRgLVU5BVkFJTEFCTEUSNwoaUkVGVVNBTF9SRUFTT05fS0VZX0VYUE\
lSRUQQKRoXiLUYApK1GA9VTkFVVEhFTlRJQ0FURUQSNwocUkVGVVNBTF9SRUFTT05fTk9UX1NVUFBPUlRFRBAqGhWItRgCkrUYDVVOSU1QTEVNRU5URUQSMwocUkVGVVNBTF9SRUFTT05fUVVFVUVfVU5LTk9XTh\
ArGhGItRgCkrUYCU5PVF9GT1VORBI4CiFSRUZVU0FMX1JFQVNPTl9BVFRFTkRBTkNFX1VOS05PV04QLBoRiLUYAZK1GAlOT1RfRk9VTkQSMwocUkVGVVNBTF9SRUFTT05fT0ZGRVJfVU5LTk9XThAtGhGItRgDkr\
UYCU5PVF9GT1VORBI7ChpSRUZVU0FMX1JFQVNPTl9CT1RfQkVOQ0hFRBAuGhuItRgCkrUYE0ZBSUxFRF9QUkVDT05ESVRJT04SNAodUkVGVVNBTF9SRUFTT05fTEFEREVSX1VOS05PV04QLxoRiLUYApK1GAlOT1\
RfRk9VTkQSPQocUkVGVVNBTF9SRUFTT05fTEFEREVSX0NMT1NFRBAwGhuItRgDkrUYE0ZBSUxFRF9QUkVDT05ESVRJT04SMQoaUkVGVVNBTF9SRUFTT05fQk9UX1VOS05PV04QMRoRiLUYApK1GAlOT1RfRk9VTk\
QSNQoeUkVGVVNBTF9SRUFTT05fQ09OVEVTVF9VTktOT1dOEDIaEYi1GAKStRgJTk9UX0ZPVU5EEj0KH1JFRlVTQUxfUkVBU09OX1BPU0lUSU9OX0lOVkFMSUQQMxoYiLUYApK1GBBJTlZBTElEX0FSR1VNRU5UEk\
EKIFJFRlVTQUxfUkVBU09OX0JPVF9OT1RfQVZBSUxBQkxFEDQaG4i1GAGStRgTRkFJTEVEX1BSRUNPTkRJVElPThJACh9SRUZVU0FMX1JFQVNPTl9SRVBMQVlfRk9SR09UVEVOEDUaG4i1GAOStRgTRkFJTEVEX1\
BSRUNPTkRJVElPTiIECB0QHSoUUkVGVVNBTF9SRUFTT05fTU9WRUQ6WwoGYWR2aWNlEiEuZ29vZ2xlLnByb3RvYnVmLkVudW1WYWx1ZU9wdGlvbnMY0YYDIAEoDjIeLmJyaWRnZW1hc3Rlci52MS5SZWZ1c2FsQW\
R2aWNlUgZhZHZpY2U6QAoJZ3JwY19jb2RlEiEuZ29vZ2xlLnByb3RvYnVmLkVudW1WYWx1ZU9wdGlvbnMY0oYDIAEoCVIIZ3JwY0NvZGViBnByb3RvMw",[go]);var il=O(fr,1),cl=Zc(fr,0);var qp=1;function Xe(e){for(let t of x.from(e).details){if(!("type"in t)||t.type!=="google.rpc.ErrorInfo")continue;let n=new K(t.value);for(;n.pos<n.len;){let[r,
s]=n.tag();if(r===qp&&s===N.LengthDelimited)return n.string();n.skip(s,r)}}return""}var eg=["MATCH_RUNNING","GROUP_RUNNING"],tg=[v.Unavailable,v.Unknown,v.Internal,
v.ResourceExhausted];function W(e){let{code:t,rawMessage:n}=x.from(e),r=Xe(e);return{text:r==="NODE_SUPERSEDED"&&"another server of the cluster is taking over f\
rom this server"||n||v[t],needsKey:t===v.Unauthenticated||t===v.PermissionDenied,isUnsupported:t===v.Unimplemented,isTemporary:r===""?tg.includes(t):ng(r)&&!eg.
includes(r)}}function ng(e){let t=il.values.find(({name:n})=>n===`REFUSAL_REASON_${e}`);return t!==void 0&&So(t,cl)===1}var rg=/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu;function A(e){let t=Array.from(e),n=t.length>400;return t.slice(0,400).join("").replace(rg,r=>`\\u{${(r.
codePointAt(0)??0).toString(16)}}`)+(n?"…":"")}var he=class{constructor(t,n){this.load=t;this.changed=n}load;changed;items=[];#e="";#t=!1;#n="";async read(){if(this.#e===void 0)return;let{items:t,nextPageToken:n}=await this.
load(this.#e);this.items.push(...t),this.#e=n||void 0}async#r(){if(!this.#t){[this.#t,this.#n]=[!0,""],this.changed();try{await this.read()}catch(t){this.#n=W(t).
text}this.#t=!1,this.changed()}}more(t){if(this.#e!==void 0)return u`<p><button type="button" ?disabled=${this.#t} @click=${()=>{this.#r()}}>${t}</button>${this.#n?
u` <span class="notice" role="alert">${A(this.#n)}</span>`:void 0}</p>`}};function ll(e,t){let n=(r,s,o)=>u`<a href=${r} aria-current=${t===o?"page":"false"}>${s}</a>`;return u`<header class="top"><a class="brand" href=${fe}><svg viewBox="0 0 32 32" aria-hidden="true"><path
      d="M1 10H31V14H28V26H25V22A4.5 4.5 0 0 0 16.8 22V26H15.2V22A4.5 4.5 0 0 0 7 22V26H4V14H1Z" fill="currentColor"/></svg>Bridgemaster</a>
    <nav aria-label="pages">${n(fe,"Matches","matches")}${n(`${_}/ladder`,"Ladders","ladders")}${n(`${_}/play`,"Play","play")}</nav>
    <label class="open button">Open a replay<input type="file" class="unseen" data-open-replay></label></header>${e}`}function j(e,t,n=void 0){return u`<main class="plain"><div class="panel failure" role="alert"><h1>${t}</h1><p>${A(
e.text)}</p>${e.needsKey?sg():void 0}${n}<p><a href=${fe}>All matches</a></p></div></main>`}function sg(){return u`<form class="key-form" @submit=${e=>{e.preventDefault();
let t=e.currentTarget.elements.namedItem("key");t instanceof HTMLInputElement&&fi(t.value.trim()),location.reload()}}><label>API key <input name="key" type="password" autocomplete="off" required></label><button type="submit">Use it in this tab</button></form>`}
function q(e){return u`<main class="plain"><p class="panel quiet" role="status">${e}</p></main>`}function dl(){try{new Headers}catch{throw new Error("connect-web requires the fetch API. Are you running on an old version of Node.js? Node.js is not supported \
in Connect for Web - please stay tuned for Connect for Node.")}}function tn(e,t){let n=mr(e);if(n)throw t.forEach((r,s)=>{n.metadata.append(s,r)}),n;if(!t.has(ue)&&!e.has(ue))throw new x("protocol error: missing status",v.Internal)}function hr(e,t,n,r){var s,o;let a=new Headers(n??{});a.set(Yo,e?jc:qc),a.set(Hc,"1");let i=(o=(s=a.get(ur))!==null&&s!==void 0?s:a.get(To))!==null&&o!==void 0?
o:"connect-es/2.2.0";return a.set(To,i),r&&a.set(ur,i),t!==void 0&&a.set(Wo,`${t}m`),a}function ul(e){switch(e){case 400:return v.Internal;case 401:return v.Unauthenticated;case 403:return v.PermissionDenied;case 404:return v.Unimplemented;case 429:
return v.Unavailable;case 502:return v.Unavailable;case 503:return v.Unavailable;case 504:return v.Unavailable;default:return v.Unknown}}function br(e,t){var n;if(e>=200&&e<300)return{foundStatus:t.has(ue),headerError:mr(t)};throw new x(decodeURIComponent((n=t.get(en))!==null&&n!==void 0?n:`HTTP ${e}`),
ul(e),t)}var rt=function(e){return this instanceof rt?(this.v=e,this):new rt(e)},og=function(e,t,n){if(!Symbol.asyncIterator)throw new TypeError("Symbol.asyncIterator is\
 not defined.");var r=n.apply(e,t||[]),s,o=[];return s=Object.create((typeof AsyncIterator=="function"?AsyncIterator:Object).prototype),i("next"),i("throw"),i("\
return",a),s[Symbol.asyncIterator]=function(){return this},s;function a(f){return function(h){return Promise.resolve(h).then(f,p)}}function i(f,h){r[f]&&(s[f]=function(y){
return new Promise(function(E,V){o.push([f,y,E,V])>1||c(f,y)})},h&&(s[f]=h(s[f])))}function c(f,h){try{l(r[f](h))}catch(y){g(o[0][3],y)}}function l(f){f.value instanceof
rt?Promise.resolve(f.value.v).then(d,p):g(o[0][2],f)}function d(f){c("next",f)}function p(f){c("throw",f)}function g(f,h){f(h),o.shift(),o.length&&c(o[0][0],o[0][1])}},
ml={redirect:"error"};function Bo(e){var t;dl();let n=(t=e.useBinaryFormat)!==null&&t!==void 0?t:!0;return{async unary(r,s,o,a,i,c){let{serialize:l,parse:d}=gr(
r,n,e.jsonOptions,e.binaryOptions);return o=o===void 0?e.defaultTimeoutMs:o<=0?void 0:o,await Lo({interceptors:e.interceptors,signal:s,timeoutMs:o,req:{stream:!1,
service:r.parent,method:r,requestMethod:"POST",url:pr(e.baseUrl,r),header:hr(n,o,a,!1),contextValues:c??lr(),message:i},next:async p=>{var g;let h=await((g=e.fetch)!==
null&&g!==void 0?g:globalThis.fetch)(p.url,Object.assign(Object.assign({},ml),{method:p.requestMethod,headers:p.header,signal:p.signal,body:ir(0,l(p.message))})),
{headerError:y}=br(h.status,h.headers);if(!h.body)throw y!==void 0?y:"missing response body";let E=ar(h.body).getReader(),V,Z;for(;;){let T=await E.read();if(T.
done)break;let{flags:J,data:Ce}=T.value;if((J&or)===or)throw new x("protocol error: received unsupported compressed output",v.Internal);if(J===128){if(V!==void 0)
throw"extra trailer";V=dr(Ce);continue}if(Z!==void 0)throw new x("extra message",v.Unimplemented);Z=d(Ce)}if(V===void 0)throw y!==void 0?y:new x("missing traile\
r",h.headers.has(ue)?v.Unimplemented:v.Unknown);if(tn(V,h.headers),Z===void 0)throw new x("missing message",V.has(ue)?v.Unimplemented:v.Unknown);return{stream:!1,
service:r.parent,method:r,header:h.headers,message:Z,trailer:V}}})},async stream(r,s,o,a,i,c){let{serialize:l,parse:d}=gr(r,n,e.jsonOptions,e.binaryOptions);function p(f,h,y,E,V){
return og(this,arguments,function*(){let T=ar(f).getReader();if(h){if(!(yield rt(T.read())).done)throw"extra data for trailers-only";return yield rt(void 0)}let J=!1;
for(;;){let Ce=yield rt(T.read());if(Ce.done)break;let{flags:Au,data:Ea}=Ce.value;if((Au&128)===128){if(J)throw"extra trailer";J=!0;let Ra=dr(Ea);tn(Ra,E),Ra.forEach(
(Zu,Vu)=>y.set(Vu,Zu));continue}if(J)throw"extra message";yield yield rt(d(Ea))}if("throwIfAborted"in V&&V.throwIfAborted(),!J)throw"missing trailer"})}async function g(f){
if(r.methodKind!="server_streaming")throw"The fetch API does not support streaming request bodies";let h=await f[Symbol.asyncIterator]().next();if(h.done==!0)throw"\
missing request message";return ir(0,l(h.value))}return o=o===void 0?e.defaultTimeoutMs:o<=0?void 0:o,Uo({interceptors:e.interceptors,signal:s,timeoutMs:o,req:{
stream:!0,service:r.parent,method:r,requestMethod:"POST",url:pr(e.baseUrl,r),header:hr(n,o,a,!1),contextValues:c??lr(),message:i},next:async f=>{var h;let E=await((h=
e.fetch)!==null&&h!==void 0?h:globalThis.fetch)(f.url,Object.assign(Object.assign({},ml),{method:f.requestMethod,headers:f.header,signal:f.signal,body:await g(f.
message)})),{foundStatus:V,headerError:Z}=br(E.status,E.headers);if(Z!=null)throw Z;if(!E.body)throw"missing response body";let T=new Headers;return Object.assign(
Object.assign({},f),{header:E.headers,trailer:T,message:p(E.body,V,T,E.headers,f.signal)})}})}}}var be=S("ChticmlkZ2VtYXN0ZXIvdjEvZmF1bHQucHJvdG8SD2JyaWRnZW1hc3Rlci52MSLnAgoLRmF1bHRQb2xpY3kSLQoHaWxsZWdhbBgBIAEoDjIcLmJyaWRnZW1hc3Rlci52MS5GYXVsdEFjdGlvbhIqCg\
RsYXRlGAIgASgOMhwuYnJpZGdlbWFzdGVyLnYxLkZhdWx0QWN0aW9uEjIKDGRpc2Nvbm5lY3RlZBgDIAEoDjIcLmJyaWRnZW1hc3Rlci52MS5GYXVsdEFjdGlvbhI1Cg9uZXZlcl9jb25uZWN0ZWQYBCABKA4yHC\
5icmlkZ2VtYXN0ZXIudjEuRmF1bHRBY3Rpb24SKwoFZmxvb2QYBSABKA4yHC5icmlkZ2VtYXN0ZXIudjEuRmF1bHRBY3Rpb24SLQoHZ2FyYmFnZRgGIAEoDjIcLmJyaWRnZW1hc3Rlci52MS5GYXVsdEFjdGlvbh\
IfChJzdHJpa2VzX3RvX2ZvcmZlaXQYByABKA1IAIgBAUIVChNfc3RyaWtlc190b19mb3JmZWl0IpYBCgVGYXVsdBIsCgZyZWFzb24YASABKA4yHC5icmlkZ2VtYXN0ZXIudjEuRmF1bHRSZWFzb24SLAoGYWN0aW\
9uGAIgASgOMhwuYnJpZGdlbWFzdGVyLnYxLkZhdWx0QWN0aW9uEhIKCnJlcXVlc3RfaWQYAyABKA0SDQoFYXRfbXMYBCABKAQSDgoGZGV0YWlsGAUgASgJKuoBCgtGYXVsdFJlYXNvbhIcChhGQVVMVF9SRUFTT0\
5fVU5TUEVDSUZJRUQQABIYChRGQVVMVF9SRUFTT05fSUxMRUdBTBABEhUKEUZBVUxUX1JFQVNPTl9MQVRFEAISHQoZRkFVTFRfUkVBU09OX0RJU0NPTk5FQ1RFRBADEiAKHEZBVUxUX1JFQVNPTl9ORVZFUl9DT0\
5ORUNURUQQBBIWChJGQVVMVF9SRUFTT05fRkxPT0QQBRIYChRGQVVMVF9SRUFTT05fR0FSQkFHRRAGEhkKFUZBVUxUX1JFQVNPTl9SRVNJR05FRBAHKpQBCgtGYXVsdEFjdGlvbhIcChhGQVVMVF9BQ1RJT05fVU\
5TUEVDSUZJRUQQABIXChNGQVVMVF9BQ1RJT05fUkVGVVNFEAESFwoTRkFVTFRfQUNUSU9OX1NUUklLRRACEhsKF0ZBVUxUX0FDVElPTl9TVUJTVElUVVRFEAMSGAoURkFVTFRfQUNUSU9OX0ZPUkZFSVQQBCpcCg\
tIb3VzZVBvbGljeRIcChhIT1VTRV9QT0xJQ1lfVU5TUEVDSUZJRUQQABIXChNIT1VTRV9QT0xJQ1lfUkFORE9NEAESFgoSSE9VU0VfUE9MSUNZX0ZJUlNUEAJiBnByb3RvMw");var nn=(c=>(c[c.UNSPECIFIED=0]="UNSPECIFIED",c[c.ILLEGAL=1]="ILLEGAL",c[c.LATE=2]="LATE",c[c.DISCONNECTED=3]="DISCONNECTED",c[c.NEVER_CONNECTED=4]="NEVER_CONNEC\
TED",c[c.FLOOD=5]="FLOOD",c[c.GARBAGE=6]="GARBAGE",c[c.RESIGNED=7]="RESIGNED",c))(nn||{});var wo=(o=>(o[o.UNSPECIFIED=0]="UNSPECIFIED",o[o.REFUSE=1]="REFUSE",o[o.STRIKE=2]="STRIKE",o[o.SUBSTITUTE=3]="SUBSTITUTE",o[o.FORFEIT=4]="FORFEIT",o))(wo||{});var pl=S("CiNicmlkZ2VtYXN0ZXIvdjEvbG9iYnlfc2VydmljZS5wcm90bxIPYnJpZGdlbWFzdGVyLnYxIqUBCg1BdHRlbmRSZXF1ZXN0EhAKCHF1ZXVlX2lkGAEgASgJEhAKCGJvdF9uYW1lGAIgASgJEhMKC2\
JvdF92ZXJzaW9uGAMgASgJEg0KBXNsb3RzGAQgASgNEhkKEXByb3RvY29sX3JldmlzaW9uGAUgASgNEhoKEmNsaWVudF9pbnN0YW5jZV9pZBgGIAEoCRIVCg1zdHJlYW1fbnVtYmVyGAcgASgNIrMBCg5BdHRlbm\
RSZXNwb25zZRIxCgphdHRlbmRhbmNlGAEgASgLMhsuYnJpZGdlbWFzdGVyLnYxLkF0dGVuZGFuY2VIABInCgVvZmZlchgCIAEoCzIWLmJyaWRnZW1hc3Rlci52MS5PZmZlckgAEjoKD29mZmVyX3dpdGhkcmF3bh\
gDIAEoCzIfLmJyaWRnZW1hc3Rlci52MS5PZmZlcldpdGhkcmF3bkgAQgkKB21lc3NhZ2Ui4wEKCkF0dGVuZGFuY2USFQoNYXR0ZW5kYW5jZV9pZBgBIAEoCRIQCghxdWV1ZV9pZBgCIAEoCRIQCghib3RfbmFtZR\
gDIAEoCRITCgtib3RfdmVyc2lvbhgEIAEoCRINCgVvd25lchgFIAEoCRINCgVzbG90cxgGIAEoDRISCgpzbG90c191c2VkGAcgASgNEi8KBXN0YXRlGAggASgOMiAuYnJpZGdlbWFzdGVyLnYxLkF0dGVuZGFuY2\
VTdGF0ZRIOCgZkZXRhaWwYCSABKAkSEgoKYnVzeV9zbG90cxgKIAEoDSLGAQoFT2ZmZXISEAoIb2ZmZXJfaWQYASABKAkSEAoIbWF0Y2hfaWQYAiABKAkSDAoEc2VhdBgDIAEoDRIOCgZ0aWNrZXQYBCABKAkSDw\
oHZ2FtZV9pZBgFIAEoCRIVCg1ydWxlc192ZXJzaW9uGAYgASgNEhQKDHRpbWVfbGVmdF9tcxgIIAEoDRIuCgdwdXJwb3NlGAkgASgOMh0uYnJpZGdlbWFzdGVyLnYxLk9mZmVyUHVycG9zZUoECAcQCFIHYWRkcm\
VzcyIyCg5PZmZlcldpdGhkcmF3bhIQCghvZmZlcl9pZBgBIAEoCRIOCgZkZXRhaWwYAiABKAkilgEKF1VwZGF0ZUF0dGVuZGFuY2VSZXF1ZXN0EhUKDWF0dGVuZGFuY2VfaWQYASABKAkSEgoFc2xvdHMYAiABKA\
1IAIgBARITCgZwYXVzZWQYAyABKAhIAYgBARIXCgpidXN5X3Nsb3RzGAQgASgNSAKIAQFCCAoGX3Nsb3RzQgkKB19wYXVzZWRCDQoLX2J1c3lfc2xvdHMiSwoYVXBkYXRlQXR0ZW5kYW5jZVJlc3BvbnNlEi8KCm\
F0dGVuZGFuY2UYASABKAsyGy5icmlkZ2VtYXN0ZXIudjEuQXR0ZW5kYW5jZSIqChFMZWF2ZVF1ZXVlUmVxdWVzdBIVCg1hdHRlbmRhbmNlX2lkGAEgASgJIhQKEkxlYXZlUXVldWVSZXNwb25zZSI3ChNEZWNsaW\
5lT2ZmZXJSZXF1ZXN0EhAKCG9mZmVyX2lkGAEgASgJEg4KBnJlYXNvbhgCIAEoCSIWChREZWNsaW5lT2ZmZXJSZXNwb25zZSI7ChJDcmVhdGVRdWV1ZVJlcXVlc3QSJQoFcXVldWUYASABKAsyFi5icmlkZ2VtYX\
N0ZXIudjEuUXVldWUiPAoTQ3JlYXRlUXVldWVSZXNwb25zZRIlCgVxdWV1ZRgBIAEoCzIWLmJyaWRnZW1hc3Rlci52MS5RdWV1ZSKTAQoFUXVldWUSEAoIcXVldWVfaWQYASABKAkSDwoHZ2FtZV9pZBgCIAEoCR\
IaCg1ydWxlc192ZXJzaW9uGAMgASgNSACIAQESEQoJa2V5X25hbWVzGAQgAygJEhMKC2F0dGVuZGFuY2VzGAUgASgNEhEKCWlzX2xhZGRlchgGIAEoCEIQCg5fcnVsZXNfdmVyc2lvbiImChJEZWxldGVRdWV1ZV\
JlcXVlc3QSEAoIcXVldWVfaWQYASABKAkiFQoTRGVsZXRlUXVldWVSZXNwb25zZSI6ChFMaXN0UXVldWVzUmVxdWVzdBIRCglwYWdlX3NpemUYASABKA0SEgoKcGFnZV90b2tlbhgCIAEoCSJVChJMaXN0UXVldW\
VzUmVzcG9uc2USJgoGcXVldWVzGAEgAygLMhYuYnJpZGdlbWFzdGVyLnYxLlF1ZXVlEhcKD25leHRfcGFnZV90b2tlbhgCIAEoCSIlChFXYXRjaFF1ZXVlUmVxdWVzdBIQCghxdWV1ZV9pZBgBIAEoCSJUChJXYX\
RjaFF1ZXVlUmVzcG9uc2USLwoKYXR0ZW5kYW5jZRgBIAEoCzIbLmJyaWRnZW1hc3Rlci52MS5BdHRlbmRhbmNlEg0KBWVuZGVkGAIgASgIKucBCg9BdHRlbmRhbmNlU3RhdGUSIAocQVRURU5EQU5DRV9TVEFURV\
9VTlNQRUNJRklFRBAAEhsKF0FUVEVOREFOQ0VfU1RBVEVfQUNUSVZFEAESGwoXQVRURU5EQU5DRV9TVEFURV9QQVVTRUQQAhIfChtBVFRFTkRBTkNFX1NUQVRFX1ZBTElEQVRJTkcQAxIcChhBVFRFTkRBTkNFX1\
NUQVRFX0JFTkNIRUQQBBIcChhBVFRFTkRBTkNFX1NUQVRFX0xFQVZJTkcQBRIbChdBVFRFTkRBTkNFX1NUQVRFX0FCU0VOVBAGKpwBCgxPZmZlclB1cnBvc2USHQoZT0ZGRVJfUFVSUE9TRV9VTlNQRUNJRklFRB\
AAEhkKFU9GRkVSX1BVUlBPU0VfQ09OVEVTVBABEhcKE09GRkVSX1BVUlBPU0VfUkFURUQQAhIcChhPRkZFUl9QVVJQT1NFX1ZBTElEQVRJT04QAxIbChdPRkZFUl9QVVJQT1NFX1JFUVVFU1RFRBAEMtwFCgxMb2\
JieVNlcnZpY2USSwoGQXR0ZW5kEh4uYnJpZGdlbWFzdGVyLnYxLkF0dGVuZFJlcXVlc3QaHy5icmlkZ2VtYXN0ZXIudjEuQXR0ZW5kUmVzcG9uc2UwARJnChBVcGRhdGVBdHRlbmRhbmNlEiguYnJpZGdlbWFzdG\
VyLnYxLlVwZGF0ZUF0dGVuZGFuY2VSZXF1ZXN0GikuYnJpZGdlbWFzdGVyLnYxLlVwZGF0ZUF0dGVuZGFuY2VSZXNwb25zZRJVCgpMZWF2ZVF1ZXVlEiIuYnJpZGdlbWFzdGVyLnYxLkxlYXZlUXVldWVSZXF1ZX\
N0GiMuYnJpZGdlbWFzdGVyLnYxLkxlYXZlUXVldWVSZXNwb25zZRJbCgxEZWNsaW5lT2ZmZXISJC5icmlkZ2VtYXN0ZXIudjEuRGVjbGluZU9mZmVyUmVxdWVzdBolLmJyaWRnZW1hc3Rlci52MS5EZWNsaW5lT2\
ZmZXJSZXNwb25zZRJYCgtDcmVhdGVRdWV1ZRIjLmJyaWRnZW1hc3Rlci52MS5DcmVhdGVRdWV1ZVJlcXVlc3QaJC5icmlkZ2VtYXN0ZXIudjEuQ3JlYXRlUXVldWVSZXNwb25zZRJYCgtEZWxldGVRdWV1ZRIjLm\
JyaWRnZW1hc3Rlci52MS5EZWxldGVRdWV1ZVJlcXVlc3QaJC5icmlkZ2VtYXN0ZXIudjEuRGVsZXRlUXVldWVSZXNwb25zZRJVCgpMaXN0UXVldWVzEiIuYnJpZGdlbWFzdGVyLnYxLkxpc3RRdWV1ZXNSZXF1ZX\
N0GiMuYnJpZGdlbWFzdGVyLnYxLkxpc3RRdWV1ZXNSZXNwb25zZRJXCgpXYXRjaFF1ZXVlEiIuYnJpZGdlbWFzdGVyLnYxLldhdGNoUXVldWVSZXF1ZXN0GiMuYnJpZGdlbWFzdGVyLnYxLldhdGNoUXVldWVSZX\
Nwb25zZTABYgZwcm90bzM");var _o=(i=>(i[i.UNSPECIFIED=0]="UNSPECIFIED",i[i.ACTIVE=1]="ACTIVE",i[i.PAUSED=2]="PAUSED",i[i.VALIDATING=3]="VALIDATING",i[i.BENCHED=4]="BENCHED",i[i.LEAVING=5]=
"LEAVING",i[i.ABSENT=6]="ABSENT",i))(_o||{});var Le=S("ChticmlkZ2VtYXN0ZXIvdjEvY2xvY2sucHJvdG8SD2JyaWRnZW1hc3Rlci52MSKQAQoLVGltZUNvbnRyb2wSNgoHZmlzY2hlchgBIAEoCzIjLmJyaWRnZW1hc3Rlci52MS5GaXNjaGVyVGltZUNvbn\
Ryb2xIABJBCg1maXNjaGVyX2RlbGF5GAIgASgLMiguYnJpZGdlbWFzdGVyLnYxLkZpc2NoZXJEZWxheVRpbWVDb250cm9sSABCBgoEa2luZCJbChJGaXNjaGVyVGltZUNvbnRyb2wSDwoHYmFua19tcxgBIAEoDR\
IUCgxpbmNyZW1lbnRfbXMYAiABKA0SEwoGY2FwX21zGAMgASgNSACIAQFCCQoHX2NhcF9tcyJyChdGaXNjaGVyRGVsYXlUaW1lQ29udHJvbBIPCgdiYW5rX21zGAEgASgNEhQKDGluY3JlbWVudF9tcxgCIAEoDR\
IQCghkZWxheV9tcxgDIAEoDRITCgZjYXBfbXMYBCABKA1IAIgBAUIJCgdfY2FwX21zIrECCgpDbG9ja1J1bGVzEjIKDHRpbWVfY29udHJvbBgIIAEoCzIcLmJyaWRnZW1hc3Rlci52MS5UaW1lQ29udHJvbBIXCg\
pzdGFydHVwX21zGAQgASgNSACIAQESGQoMcmVjb25uZWN0X21zGAUgASgNSAGIAQESIQoUcm91bmRfdHJpcF9jcmVkaXRfbXMYBiABKA1IAogBARIhChRyZWZlcmVlX2xhZ19saW1pdF9tcxgHIAEoDUgDiAEBQg\
0KC19zdGFydHVwX21zQg8KDV9yZWNvbm5lY3RfbXNCFwoVX3JvdW5kX3RyaXBfY3JlZGl0X21zQhcKFV9yZWZlcmVlX2xhZ19saW1pdF9tc0oECAEQBFIHYmFua19tc1IMaW5jcmVtZW50X21zUgZjYXBfbXMiZQ\
oFQ2xvY2sSFAoMYmFua19sZWZ0X21zGAEgASgNEhgKEGRlY2lzaW9uX2xlZnRfbXMYAiABKA0SLAoLbGFzdF9jaGFyZ2UYAyABKAsyFy5icmlkZ2VtYXN0ZXIudjEuQ2hhcmdlInEKBkNoYXJnZRISCgplbGFwc2\
VkX3VzGAEgASgEEhEKCWNyZWRpdF91cxgCIAEoBBISCgpjaGFyZ2VkX3VzGAMgASgEEhYKDnJlZmVyZWVfbGFnX3VzGAQgASgEEhQKDHVuY2hhcmdlZF91cxgFIAEoBCK7AQoIQ2xvY2tVc2USEAoIYW5zd2VyZW\
QYASABKA0SEgoKY2hhcmdlZF91cxgCIAEoBBISCgpsb25nZXN0X3VzGAMgASgEEhQKDGJhbmtfbGVmdF9tcxgEIAEoDRIRCgljcmVkaXRfdXMYBSABKAQSFgoOcmVmZXJlZV9sYWdfdXMYBiABKAQSHgoWbG9uZ2\
VzdF9yZWZlcmVlX2xhZ191cxgHIAEoBBIUCgx1bmNoYXJnZWRfdXMYCCABKARiBnByb3RvMw");var ye=S("Ci9icmlkZ2VtYXN0ZXIvZ2FtZXMvYWxoYW1icmEvdjEvY29tcG9uZW50cy5wcm90bxIeYnJpZGdlbWFzdGVyLmdhbWVzLmFsaGFtYnJhLnYxIlYKCU1vbmV5Q2FyZBI6CghjdXJyZW5jeRgBIAEoDj\
IoLmJyaWRnZW1hc3Rlci5nYW1lcy5hbGhhbWJyYS52MS5DdXJyZW5jeRINCgV2YWx1ZRgCIAEoDSJECgVNb25leRIMCgRibHVlGAEgAygNEg0KBWdyZWVuGAIgAygNEg4KBm9yYW5nZRgDIAMoDRIOCgZ5ZWxsb3\
cYBCADKA0iVQoIQnVpbGRpbmcSOgoIY2F0ZWdvcnkYASABKA4yKC5icmlkZ2VtYXN0ZXIuZ2FtZXMuYWxoYW1icmEudjEuQ2F0ZWdvcnkSDQoFcHJpY2UYAiABKA0idQoJQnVpbGRpbmdzEhEKCXBhdmlsaW9ucx\
gBIAMoDRIRCglzZXJhZ2xpb3MYAiADKA0SDwoHYXJjYWRlcxgDIAMoDRIQCghjaGFtYmVycxgEIAMoDRIPCgdnYXJkZW5zGAUgAygNEg4KBnRvd2VycxgGIAMoDSJhCghQdXJjaGFzZRI2CgRzbG90GAEgASgOMi\
guYnJpZGdlbWFzdGVyLmdhbWVzLmFsaGFtYnJhLnYxLkN1cnJlbmN5Eg8KB3BheW1lbnQYAiADKA0SDAoEZ2l2ZRgDIAEoCCIpCgZQb2ludHMSCQoBYRgBIAMoDRIJCgFiGAIgAygNEgkKAWMYAyADKA0qdQoIQ3\
VycmVuY3kSGAoUQ1VSUkVOQ1lfVU5TUEVDSUZJRUQQABIRCg1DVVJSRU5DWV9CTFVFEAESEgoOQ1VSUkVOQ1lfR1JFRU4QAhITCg9DVVJSRU5DWV9PUkFOR0UQAxITCg9DVVJSRU5DWV9ZRUxMT1cQBCqoAQoIQ2\
F0ZWdvcnkSGAoUQ0FURUdPUllfVU5TUEVDSUZJRUQQABIVChFDQVRFR09SWV9QQVZJTElPThABEhUKEUNBVEVHT1JZX1NFUkFHTElPEAISFAoQQ0FURUdPUllfQVJDQURFUxADEhUKEUNBVEVHT1JZX0NIQU1CRV\
JTEAQSEwoPQ0FURUdPUllfR0FSREVOEAUSEgoOQ0FURUdPUllfVE9XRVIQBipPCgdTY29yaW5nEhcKE1NDT1JJTkdfVU5TUEVDSUZJRUQQABINCglTQ09SSU5HX0EQARINCglTQ09SSU5HX0IQAhINCglTQ09SSU\
5HX0MQA2IGcHJvdG8z");var $o=(o=>(o[o.UNSPECIFIED=0]="UNSPECIFIED",o[o.BLUE=1]="BLUE",o[o.GREEN=2]="GREEN",o[o.ORANGE=3]="ORANGE",o[o.YELLOW=4]="YELLOW",o))($o||{});var Jo=(i=>(i[i.UNSPECIFIED=0]="UNSPECIFIED",i[i.PAVILION=1]="PAVILION",i[i.SERAGLIO=2]="SERAGLIO",i[i.ARCADES=3]="ARCADES",i[i.CHAMBERS=4]="CHAMBERS",i[i.GARDEN=
5]="GARDEN",i[i.TOWER=6]="TOWER",i))(Jo||{});var gl=S("CiticmlkZ2VtYXN0ZXIvZ2FtZXMvYWxoYW1icmEvdjEvY2hhbmNlLnByb3RvEh5icmlkZ2VtYXN0ZXIuZ2FtZXMuYWxoYW1icmEudjEiQwoHU2h1ZmZsZRI4CgVjYXJkcxgBIAMoCzIpLmJyaWRnZW\
1hc3Rlci5nYW1lcy5hbGhhbWJyYS52MS5Nb25leUNhcmRiBnByb3RvMw",[ye]);var fl=S("CiticmlkZ2VtYXN0ZXIvZ2FtZXMvYWxoYW1icmEvdjEvY29uZmlnLnByb3RvEh5icmlkZ2VtYXN0ZXIuZ2FtZXMuYWxoYW1icmEudjEimAEKBkNvbmZpZxJLChF3aXRob3V0X2J1aWxkaW5ncxgBIA\
EoDjIwLmJyaWRnZW1hc3Rlci5nYW1lcy5hbGhhbWJyYS52MS5XaXRob3V0QnVpbGRpbmdzEkEKDGR1bW15X3BsYWNlcxgCIAEoDjIrLmJyaWRnZW1hc3Rlci5nYW1lcy5hbGhhbWJyYS52MS5EdW1teVBsYWNlcy\
pyChBXaXRob3V0QnVpbGRpbmdzEiEKHVdJVEhPVVRfQlVJTERJTkdTX1VOU1BFQ0lGSUVEEAASHgoaV0lUSE9VVF9CVUlMRElOR1NfTk9fUExBQ0UQARIbChdXSVRIT1VUX0JVSUxESU5HU19QTEFDRRACKl4KC0\
R1bW15UGxhY2VzEhwKGERVTU1ZX1BMQUNFU19VTlNQRUNJRklFRBAAEhQKEERVTU1ZX1BMQUNFU19BTEwQARIbChdEVU1NWV9QTEFDRVNfRklSU1RfT05MWRACYgZwcm90bzM");var Sr=S("Ci1icmlkZ2VtYXN0ZXIvZ2FtZXMvYWxoYW1icmEvdjEvZGVjaXNpb24ucHJvdG8SHmJyaWRnZW1hc3Rlci5nYW1lcy5hbGhhbWJyYS52MSK7AQoIRGVjaXNpb24SNAoEdGFrZRgBIAEoCzIkLmJyaW\
RnZW1hc3Rlci5nYW1lcy5hbGhhbWJyYS52MS5UYWtlSAASNwoDYnV5GAIgASgLMiguYnJpZGdlbWFzdGVyLmdhbWVzLmFsaGFtYnJhLnYxLlB1cmNoYXNlSAASNAoEcGFzcxgDIAEoCzIkLmJyaWRnZW1hc3Rlci\
5nYW1lcy5hbGhhbWJyYS52MS5QYXNzSABCCgoIZGVjaXNpb24iQAoEVGFrZRI4CgVjYXJkcxgBIAMoCzIpLmJyaWRnZW1hc3Rlci5nYW1lcy5hbGhhbWJyYS52MS5Nb25leUNhcmQiBgoEUGFzc2IGcHJvdG8z",
[ye]);var Er=S("CipicmlkZ2VtYXN0ZXIvZ2FtZXMvYWxoYW1icmEvdjEvZXZlbnQucHJvdG8SHmJyaWRnZW1hc3Rlci5nYW1lcy5hbGhhbWJyYS52MSKtBgoFRXZlbnQSPwoKaGFuZF9kZWFsdBgBIAEoCzIpLmJyaW\
RnZW1hc3Rlci5nYW1lcy5hbGhhbWJyYS52MS5IYW5kRGVhbHRIABI/CgpkdW1teV9kcmV3GAIgASgLMikuYnJpZGdlbWFzdGVyLmdhbWVzLmFsaGFtYnJhLnYxLkR1bW15RHJld0gAEkUKDWJ1aWxkaW5nX2xhaW\
QYAyABKAsyLC5icmlkZ2VtYXN0ZXIuZ2FtZXMuYWxoYW1icmEudjEuQnVpbGRpbmdMYWlkSAASQwoMbW9uZXlfb3BlbmVkGAQgASgLMisuYnJpZGdlbWFzdGVyLmdhbWVzLmFsaGFtYnJhLnYxLk1vbmV5T3Blbm\
VkSAASQwoMdHVybl9zdGFydGVkGAUgASgLMisuYnJpZGdlbWFzdGVyLmdhbWVzLmFsaGFtYnJhLnYxLlR1cm5TdGFydGVkSAASQQoLbW9uZXlfdGFrZW4YBiABKAsyKi5icmlkZ2VtYXN0ZXIuZ2FtZXMuYWxoYW\
1icmEudjEuTW9uZXlUYWtlbkgAEjgKBmJvdWdodBgHIAEoCzImLmJyaWRnZW1hc3Rlci5nYW1lcy5hbGhhbWJyYS52MS5Cb3VnaHRIABI4CgZwYXNzZWQYCCABKAsyJi5icmlkZ2VtYXN0ZXIuZ2FtZXMuYWxoYW\
1icmEudjEuUGFzc2VkSAASRwoObW9uZXlfc2h1ZmZsZWQYCSABKAsyLS5icmlkZ2VtYXN0ZXIuZ2FtZXMuYWxoYW1icmEudjEuTW9uZXlTaHVmZmxlZEgAEj8KCnlhcmRfc2hvcnQYCiABKAsyKS5icmlkZ2VtYX\
N0ZXIuZ2FtZXMuYWxoYW1icmEudjEuWWFyZFNob3J0SAASTQoRYnVpbGRpbmdfYWxsb3R0ZWQYCyABKAsyMC5icmlkZ2VtYXN0ZXIuZ2FtZXMuYWxoYW1icmEudjEuQnVpbGRpbmdBbGxvdHRlZEgAEjgKBnNjb3\
JlZBgMIAEoCzImLmJyaWRnZW1hc3Rlci5nYW1lcy5hbGhhbWJyYS52MS5TY29yZWRIAEIHCgVldmVudCJTCglIYW5kRGVhbHQSDAoEc2VhdBgBIAEoDRI4CgVjYXJkcxgCIAMoCzIpLmJyaWRnZW1hc3Rlci5nYW\
1lcy5hbGhhbWJyYS52MS5Nb25leUNhcmQiSAoJRHVtbXlEcmV3EjsKCWJ1aWxkaW5ncxgBIAMoCzIoLmJyaWRnZW1hc3Rlci5nYW1lcy5hbGhhbWJyYS52MS5CdWlsZGluZyKCAQoMQnVpbGRpbmdMYWlkEjYKBH\
Nsb3QYASABKA4yKC5icmlkZ2VtYXN0ZXIuZ2FtZXMuYWxoYW1icmEudjEuQ3VycmVuY3kSOgoIYnVpbGRpbmcYAiABKAsyKC5icmlkZ2VtYXN0ZXIuZ2FtZXMuYWxoYW1icmEudjEuQnVpbGRpbmciRgoLTW9uZX\
lPcGVuZWQSNwoEY2FyZBgBIAEoCzIpLmJyaWRnZW1hc3Rlci5nYW1lcy5hbGhhbWJyYS52MS5Nb25leUNhcmQiGwoLVHVyblN0YXJ0ZWQSDAoEc2VhdBgBIAEoDSJUCgpNb25leVRha2VuEgwKBHNlYXQYASABKA\
0SOAoFY2FyZHMYAiADKAsyKS5icmlkZ2VtYXN0ZXIuZ2FtZXMuYWxoYW1icmEudjEuTW9uZXlDYXJkIo4BCgZCb3VnaHQSDAoEc2VhdBgBIAEoDRI6CghidWlsZGluZxgCIAEoCzIoLmJyaWRnZW1hc3Rlci5nYW\
1lcy5hbGhhbWJyYS52MS5CdWlsZGluZxI6CghwdXJjaGFzZRgDIAEoCzIoLmJyaWRnZW1hc3Rlci5nYW1lcy5hbGhhbWJyYS52MS5QdXJjaGFzZSIWCgZQYXNzZWQSDAoEc2VhdBgBIAEoDSIeCg1Nb25leVNodW\
ZmbGVkEg0KBWNhcmRzGAEgASgNIgsKCVlhcmRTaG9ydCKiAQoQQnVpbGRpbmdBbGxvdHRlZBI2CgRzbG90GAEgASgOMiguYnJpZGdlbWFzdGVyLmdhbWVzLmFsaGFtYnJhLnYxLkN1cnJlbmN5EjoKCGJ1aWxkaW\
5nGAIgASgLMiguYnJpZGdlbWFzdGVyLmdhbWVzLmFsaGFtYnJhLnYxLkJ1aWxkaW5nEhEKBHNlYXQYAyABKA1IAIgBAUIHCgVfc2VhdCKjAQoGU2NvcmVkEjgKB3Njb3JpbmcYASABKA4yJy5icmlkZ2VtYXN0ZX\
IuZ2FtZXMuYWxoYW1icmEudjEuU2NvcmluZxIOCgRzZWF0GAIgASgNSAASNgoFZHVtbXkYAyABKAsyJS5icmlkZ2VtYXN0ZXIuZ2FtZXMuYWxoYW1icmEudjEuRHVtbXlIABIOCgZwb2ludHMYBCADKA1CBwoFb3\
duZXIiBwoFRHVtbXliBnByb3RvMw",[ye]);var Rr=S("CjBicmlkZ2VtYXN0ZXIvZ2FtZXMvYWxoYW1icmEvdjEvb2JzZXJ2YXRpb24ucHJvdG8SHmJyaWRnZW1hc3Rlci5nYW1lcy5hbGhhbWJyYS52MSLwBgoLT2JzZXJ2YXRpb24SGAoLdmlld2VyX3NlYX\
QYASABKA1IAYgBARI5CgR0dXJuGAIgASgLMikuYnJpZGdlbWFzdGVyLmdhbWVzLmFsaGFtYnJhLnYxLlR1cm5QaGFzZUgAEj8KB3NodWZmbGUYAyABKAsyLC5icmlkZ2VtYXN0ZXIuZ2FtZXMuYWxoYW1icmEudj\
EuU2h1ZmZsZVBoYXNlSAASOQoEb3ZlchgEIAEoCzIpLmJyaWRnZW1hc3Rlci5nYW1lcy5hbGhhbWJyYS52MS5PdmVyUGhhc2VIABJECg50dXJuX3B1cmNoYXNlcxgFIAMoCzIsLmJyaWRnZW1hc3Rlci5nYW1lcy\
5hbGhhbWJyYS52MS5UdXJuUHVyY2hhc2USNwoFc2VhdHMYBiADKAsyKC5icmlkZ2VtYXN0ZXIuZ2FtZXMuYWxoYW1icmEudjEuU2VhdFZpZXcSOAoFZHVtbXkYByABKAsyKS5icmlkZ2VtYXN0ZXIuZ2FtZXMuYW\
xoYW1icmEudjEuRHVtbXlWaWV3EjIKBHlhcmQYCCABKAsyJC5icmlkZ2VtYXN0ZXIuZ2FtZXMuYWxoYW1icmEudjEuWWFyZBI2CgNyb3cYCSADKAsyKS5icmlkZ2VtYXN0ZXIuZ2FtZXMuYWxoYW1icmEudjEuTW\
9uZXlDYXJkEjYKB2Rpc2NhcmQYCiABKAsyJS5icmlkZ2VtYXN0ZXIuZ2FtZXMuYWxoYW1icmEudjEuTW9uZXkSOwoMdW5zZWVuX21vbmV5GAsgASgLMiUuYnJpZGdlbWFzdGVyLmdhbWVzLmFsaGFtYnJhLnYxLk\
1vbmV5EkMKEHVuc2Vlbl9idWlsZGluZ3MYDCABKAsyKS5icmlkZ2VtYXN0ZXIuZ2FtZXMuYWxoYW1icmEudjEuQnVpbGRpbmdzEkIKDnNjb3JpbmdfY2FyZF9hGA0gASgLMiouYnJpZGdlbWFzdGVyLmdhbWVzLm\
FsaGFtYnJhLnYxLlBsYWNlUmFuZ2USQgoOc2NvcmluZ19jYXJkX2IYDiABKAsyKi5icmlkZ2VtYXN0ZXIuZ2FtZXMuYWxoYW1icmEudjEuUGxhY2VSYW5nZRIQCghzaHVmZmxlcxgPIAEoDUIHCgVwaGFzZUIOCg\
xfdmlld2VyX3NlYXQiGQoJVHVyblBoYXNlEgwKBHNlYXQYASABKA0iHAoMU2h1ZmZsZVBoYXNlEgwKBHNlYXQYASABKA0iCwoJT3ZlclBoYXNlIoYBCgxUdXJuUHVyY2hhc2USOgoIYnVpbGRpbmcYASABKAsyKC\
5icmlkZ2VtYXN0ZXIuZ2FtZXMuYWxoYW1icmEudjEuQnVpbGRpbmcSOgoIcHVyY2hhc2UYAiABKAsyKC5icmlkZ2VtYXN0ZXIuZ2FtZXMuYWxoYW1icmEudjEuUHVyY2hhc2Ui6wEKBFlhcmQSNgoEYmx1ZRgBIA\
EoCzIoLmJyaWRnZW1hc3Rlci5nYW1lcy5hbGhhbWJyYS52MS5CdWlsZGluZxI3CgVncmVlbhgCIAEoCzIoLmJyaWRnZW1hc3Rlci5nYW1lcy5hbGhhbWJyYS52MS5CdWlsZGluZxI4CgZvcmFuZ2UYAyABKAsyKC\
5icmlkZ2VtYXN0ZXIuZ2FtZXMuYWxoYW1icmEudjEuQnVpbGRpbmcSOAoGeWVsbG93GAQgASgLMiguYnJpZGdlbWFzdGVyLmdhbWVzLmFsaGFtYnJhLnYxLkJ1aWxkaW5nIrUBCghTZWF0VmlldxIzCgRoYW5kGA\
EgASgLMiUuYnJpZGdlbWFzdGVyLmdhbWVzLmFsaGFtYnJhLnYxLk1vbmV5EjwKCWJ1aWxkaW5ncxgCIAEoCzIpLmJyaWRnZW1hc3Rlci5nYW1lcy5hbGhhbWJyYS52MS5CdWlsZGluZ3MSNgoGcG9pbnRzGAMgAS\
gLMiYuYnJpZGdlbWFzdGVyLmdhbWVzLmFsaGFtYnJhLnYxLlBvaW50cyKBAQoJRHVtbXlWaWV3EjwKCWJ1aWxkaW5ncxgBIAEoCzIpLmJyaWRnZW1hc3Rlci5nYW1lcy5hbGhhbWJyYS52MS5CdWlsZGluZ3MSNg\
oGcG9pbnRzGAIgASgLMiYuYnJpZGdlbWFzdGVyLmdhbWVzLmFsaGFtYnJhLnYxLlBvaW50cyIpCgpQbGFjZVJhbmdlEg0KBWZpcnN0GAEgASgNEgwKBGxhc3QYAiABKA1iBnByb3RvMw",[ye]);var hl=S("CixicmlkZ2VtYXN0ZXIvZ2FtZXMvYWxoYW1icmEvdjEvcmVxdWVzdC5wcm90bxIeYnJpZGdlbWFzdGVyLmdhbWVzLmFsaGFtYnJhLnYxIsUBCgdSZXF1ZXN0EkAKC29ic2VydmF0aW9uGAEgASgLMi\
suYnJpZGdlbWFzdGVyLmdhbWVzLmFsaGFtYnJhLnYxLk9ic2VydmF0aW9uEkEKD2xlZ2FsX2RlY2lzaW9ucxgCIAMoCzIoLmJyaWRnZW1hc3Rlci5nYW1lcy5hbGhhbWJyYS52MS5EZWNpc2lvbhI1CgZldmVudH\
MYAyADKAsyJS5icmlkZ2VtYXN0ZXIuZ2FtZXMuYWxoYW1icmEudjEuRXZlbnRiBnByb3RvMw",[Sr,Er,Rr]);var bl=S("CipicmlkZ2VtYXN0ZXIvZ2FtZXMvYWxoYW1icmEvdjEvc2V0dXAucHJvdG8SHmJyaWRnZW1hc3Rlci5nYW1lcy5hbGhhbWJyYS52MSKwAQoFU2V0dXASOwoJYnVpbGRpbmdzGAEgAygLMiguYnJpZG\
dlbWFzdGVyLmdhbWVzLmFsaGFtYnJhLnYxLkJ1aWxkaW5nEjgKBW1vbmV5GAIgAygLMikuYnJpZGdlbWFzdGVyLmdhbWVzLmFsaGFtYnJhLnYxLk1vbmV5Q2FyZBIXCg9zY29yaW5nX2FfcGxhY2UYAyABKA0SFw\
oPc2NvcmluZ19iX3BsYWNlGAQgASgNYgZwcm90bzM",[ye]);var Se=S("CjlicmlkZ2VtYXN0ZXIvZ2FtZXMvYnJpZGdlc190b19ub3doZXJlL3YxL2NvbXBvbmVudHMucHJvdG8SKGJyaWRnZW1hc3Rlci5nYW1lcy5icmlkZ2VzX3RvX25vd2hlcmUudjEi3QEKCkJyaWRnZU\
NhcmQSPgoFc3R5bGUYASABKA4yLy5icmlkZ2VtYXN0ZXIuZ2FtZXMuYnJpZGdlc190b19ub3doZXJlLnYxLlN0eWxlEg4KBm51bWJlchgCIAEoDRI+CgRsZWZ0GAMgASgOMjAuYnJpZGdlbWFzdGVyLmdhbWVzLm\
JyaWRnZXNfdG9fbm93aGVyZS52MS5TeW1ib2wSPwoFcmlnaHQYBCABKA4yMC5icmlkZ2VtYXN0ZXIuZ2FtZXMuYnJpZGdlc190b19ub3doZXJlLnYxLlN5bWJvbCIKCghNb251bWVudCIICgZQaWxsYXIiowEKBE\
NhcmQSSwoLYnJpZGdlX2NhcmQYASABKAsyNC5icmlkZ2VtYXN0ZXIuZ2FtZXMuYnJpZGdlc190b19ub3doZXJlLnYxLkJyaWRnZUNhcmRIABJGCghtb251bWVudBgCIAEoCzIyLmJyaWRnZW1hc3Rlci5nYW1lcy\
5icmlkZ2VzX3RvX25vd2hlcmUudjEuTW9udW1lbnRIAEIGCgRjYXJkIowCCglQbGFjZW1lbnQSSwoLYnJpZGdlX2NhcmQYASABKAsyNC5icmlkZ2VtYXN0ZXIuZ2FtZXMuYnJpZGdlc190b19ub3doZXJlLnYxLk\
JyaWRnZUNhcmRIABJGCghtb251bWVudBgCIAEoCzIyLmJyaWRnZW1hc3Rlci5nYW1lcy5icmlkZ2VzX3RvX25vd2hlcmUudjEuTW9udW1lbnRIABJCCgZwaWxsYXIYAyABKAsyMC5icmlkZ2VtYXN0ZXIuZ2FtZX\
MuYnJpZGdlc190b19ub3doZXJlLnYxLlBpbGxhckgAEg0KBWxldmVsGAQgASgNEg4KBmNvbHVtbhgFIAEoEUIHCgVwaWVjZSJhCglTZWF0U2NvcmUSDwoHbnVtYmVycxgBIAEoDRINCgV0b2xscxgCIAEoDRIRCg\
ltb251bWVudHMYAyABKA0SDwoHc3ltYm9scxgEIAEoDRIQCghjb250cmFjdBgFIAEoDSpWCgVTdHlsZRIVChFTVFlMRV9VTlNQRUNJRklFRBAAEhQKEFNUWUxFX1NVU1BFTlNJT04QARIPCgtTVFlMRV9UUlVTUx\
ACEg8KC1NUWUxFX0NBQkxFEAMqUwoGU3ltYm9sEhYKElNZTUJPTF9VTlNQRUNJRklFRBAAEg8KC1NZTUJPTF9GSVNIEAESDwoLU1lNQk9MX0JJUkQQAhIPCgtTWU1CT0xfQk9BVBADKsYBCghDb250cmFjdBIYCh\
RDT05UUkFDVF9VTlNQRUNJRklFRBAAEhMKD0NPTlRSQUNUX1RSSVBMRRABEhoKFkNPTlRSQUNUX1NQSUNFX09GX0xJRkUQAhIZChVDT05UUkFDVF9MT05HRVNUX01JTEUQAxIgChxDT05UUkFDVF9TUEFOTklOR1\
9USEVfRElWSURFEAQSHQoZQ09OVFJBQ1RfVFJJQUxfT0ZfVEhFX1NFQRAFEhMKD0NPTlRSQUNUX0RPVUJMRRAGYgZwcm90bzM");var Ar=(s=>(s[s.UNSPECIFIED=0]="UNSPECIFIED",s[s.SUSPENSION=1]="SUSPENSION",s[s.TRUSS=2]="TRUSS",s[s.CABLE=3]="CABLE",s))(Ar||{});var Zr=(s=>(s[s.UNSPECIFIED=0]="UNSPECIFIED",s[s.FISH=1]="FISH",s[s.BIRD=2]="BIRD",s[s.BOAT=3]="BOAT",s))(Zr||{});var yl=S("CjVicmlkZ2VtYXN0ZXIvZ2FtZXMvYnJpZGdlc190b19ub3doZXJlL3YxL2NvbmZpZy5wcm90bxIoYnJpZGdlbWFzdGVyLmdhbWVzLmJyaWRnZXNfdG9fbm93aGVyZS52MSKNAgoGQ29uZmlnEhYKCW\
NvbnRyYWN0cxgBIAEoCEgAiAEBEh0KEGNvbnRyYWN0c190b193aW4YAiABKA1IAYgBARISCgVnYW1lcxgDIAEoDUgCiAEBEkIKB2VkaXRpb24YBCABKAsyMS5icmlkZ2VtYXN0ZXIuZ2FtZXMuYnJpZGdlc190b1\
9ub3doZXJlLnYxLkVkaXRpb24SRwoKbmV4dF9jYXJkcxgFIAEoDjIzLmJyaWRnZW1hc3Rlci5nYW1lcy5icmlkZ2VzX3RvX25vd2hlcmUudjEuTmV4dENhcmRzQgwKCl9jb250cmFjdHNCEwoRX2NvbnRyYWN0c1\
90b193aW5CCAoGX2dhbWVzIlwKB0VkaXRpb24SDAoEbmFtZRgBIAEoCRJDCgVjYXJkcxgCIAMoCzI0LmJyaWRnZW1hc3Rlci5nYW1lcy5icmlkZ2VzX3RvX25vd2hlcmUudjEuQnJpZGdlQ2FyZCpmCglOZXh0Q2\
FyZHMSGgoWTkVYVF9DQVJEU19VTlNQRUNJRklFRBAAEh4KGk5FWFRfQ0FSRFNfQkVGT1JFX0JVSUxESU5HEAESHQoZTkVYVF9DQVJEU19BRlRFUl9CVUlMRElORxACYgZwcm90bzM",[Se]);var Vr=S("CjdicmlkZ2VtYXN0ZXIvZ2FtZXMvYnJpZGdlc190b19ub3doZXJlL3YxL2RlY2lzaW9uLnByb3RvEihicmlkZ2VtYXN0ZXIuZ2FtZXMuYnJpZGdlc190b19ub3doZXJlLnYxIuIBCghEZWNpc2lvbh\
I+CgR0YWtlGAEgASgLMi4uYnJpZGdlbWFzdGVyLmdhbWVzLmJyaWRnZXNfdG9fbm93aGVyZS52MS5DYXJkSAASRAoFcGxhY2UYAiABKAsyMy5icmlkZ2VtYXN0ZXIuZ2FtZXMuYnJpZGdlc190b19ub3doZXJlLn\
YxLlBsYWNlbWVudEgAEkQKA2VuZBgDIAEoCzI1LmJyaWRnZW1hc3Rlci5nYW1lcy5icmlkZ2VzX3RvX25vd2hlcmUudjEuRW5kQnVpbGRpbmdIAEIKCghkZWNpc2lvbiINCgtFbmRCdWlsZGluZ2IGcHJvdG8z",
[Se]);var vr=S("CjRicmlkZ2VtYXN0ZXIvZ2FtZXMvYnJpZGdlc190b19ub3doZXJlL3YxL2V2ZW50LnByb3RvEihicmlkZ2VtYXN0ZXIuZ2FtZXMuYnJpZGdlc190b19ub3doZXJlLnYxIrIFCgVFdmVudBJNCgxnYW\
1lX3N0YXJ0ZWQYASABKAsyNS5icmlkZ2VtYXN0ZXIuZ2FtZXMuYnJpZGdlc190b19ub3doZXJlLnYxLkdhbWVTdGFydGVkSAASTwoNcm91bmRfc3RhcnRlZBgCIAEoCzI2LmJyaWRnZW1hc3Rlci5nYW1lcy5icm\
lkZ2VzX3RvX25vd2hlcmUudjEuUm91bmRTdGFydGVkSAASQAoFdGFrZW4YAyABKAsyLy5icmlkZ2VtYXN0ZXIuZ2FtZXMuYnJpZGdlc190b19ub3doZXJlLnYxLlRha2VuSAASSwoLZHJhZnRfZW5kZWQYBCABKA\
syNC5icmlkZ2VtYXN0ZXIuZ2FtZXMuYnJpZGdlc190b19ub3doZXJlLnYxLkRyYWZ0RW5kZWRIABJCCgZwbGFjZWQYBSABKAsyMC5icmlkZ2VtYXN0ZXIuZ2FtZXMuYnJpZGdlc190b19ub3doZXJlLnYxLlBsYW\
NlZEgAElEKDmJ1aWxkaW5nX2VuZGVkGAYgASgLMjcuYnJpZGdlbWFzdGVyLmdhbWVzLmJyaWRnZXNfdG9fbm93aGVyZS52MS5CdWlsZGluZ0VuZGVkSAASQgoGc2NvcmVkGAcgASgLMjAuYnJpZGdlbWFzdGVyLm\
dhbWVzLmJyaWRnZXNfdG9fbm93aGVyZS52MS5TY29yZWRIABJJCgpnYW1lX2VuZGVkGAggASgLMjMuYnJpZGdlbWFzdGVyLmdhbWVzLmJyaWRnZXNfdG9fbm93aGVyZS52MS5HYW1lRW5kZWRIABJLCgttYXRjaF\
9lbmRlZBgJIAEoCzI0LmJyaWRnZW1hc3Rlci5nYW1lcy5icmlkZ2VzX3RvX25vd2hlcmUudjEuTWF0Y2hFbmRlZEgAQgcKBWV2ZW50ImEKC0dhbWVTdGFydGVkEgwKBGdhbWUYASABKA0SRAoIY29udHJhY3QYAi\
ABKA4yMi5icmlkZ2VtYXN0ZXIuZ2FtZXMuYnJpZGdlc190b19ub3doZXJlLnYxLkNvbnRyYWN0InoKDFJvdW5kU3RhcnRlZBINCgVyb3VuZBgBIAEoDRIVCg1maXJzdF9kcmFmdGVyGAIgASgNEkQKBm9wZW5lZB\
gDIAMoCzI0LmJyaWRnZW1hc3Rlci5nYW1lcy5icmlkZ2VzX3RvX25vd2hlcmUudjEuQnJpZGdlQ2FyZCJTCgVUYWtlbhIMCgRzZWF0GAEgASgNEjwKBGNhcmQYAiABKAsyLi5icmlkZ2VtYXN0ZXIuZ2FtZXMuYn\
JpZGdlc190b19ub3doZXJlLnYxLkNhcmQinwEKCkRyYWZ0RW5kZWQSRwoJZGlzY2FyZGVkGAEgAygLMjQuYnJpZGdlbWFzdGVyLmdhbWVzLmJyaWRnZXNfdG9fbm93aGVyZS52MS5CcmlkZ2VDYXJkEkgKCm5leH\
RfY2FyZHMYAiADKAsyNC5icmlkZ2VtYXN0ZXIuZ2FtZXMuYnJpZGdlc190b19ub3doZXJlLnYxLkJyaWRnZUNhcmQiXgoGUGxhY2VkEgwKBHNlYXQYASABKA0SRgoJcGxhY2VtZW50GAIgASgLMjMuYnJpZGdlbW\
FzdGVyLmdhbWVzLmJyaWRnZXNfdG9fbm93aGVyZS52MS5QbGFjZW1lbnQiYAoNQnVpbGRpbmdFbmRlZBIMCgRzZWF0GAEgASgNEkEKCWRpc2NhcmRlZBgCIAMoCzIuLmJyaWRnZW1hc3Rlci5nYW1lcy5icmlkZ2\
VzX3RvX25vd2hlcmUudjEuQ2FyZCJaCgZTY29yZWQSDAoEc2VhdBgBIAEoDRJCCgVzY29yZRgCIAEoCzIzLmJyaWRnZW1hc3Rlci5nYW1lcy5icmlkZ2VzX3RvX25vd2hlcmUudjEuU2VhdFNjb3JlIjkKCUdhbW\
VFbmRlZBIMCgRnYW1lGAEgASgNEhMKBndpbm5lchgCIAEoDUgAiAEBQgkKB193aW5uZXIiDAoKTWF0Y2hFbmRlZGIGcHJvdG8z",[Se]);var Gr=S("CjpicmlkZ2VtYXN0ZXIvZ2FtZXMvYnJpZGdlc190b19ub3doZXJlL3YxL29ic2VydmF0aW9uLnByb3RvEihicmlkZ2VtYXN0ZXIuZ2FtZXMuYnJpZGdlc190b19ub3doZXJlLnYxIrQFCgtPYnNlcn\
ZhdGlvbhIYCgt2aWV3ZXJfc2VhdBgBIAEoDUgBiAEBEkUKB3Jlc3VsdHMYAiADKAsyNC5icmlkZ2VtYXN0ZXIuZ2FtZXMuYnJpZGdlc190b19ub3doZXJlLnYxLkdhbWVSZXN1bHQSDAoEZ2FtZRgDIAEoDRJECg\
hjb250cmFjdBgEIAEoDjIyLmJyaWRnZW1hc3Rlci5nYW1lcy5icmlkZ2VzX3RvX25vd2hlcmUudjEuQ29udHJhY3QSDQoFcm91bmQYBSABKA0SFQoNZmlyc3RfZHJhZnRlchgGIAEoDRJFCgVkcmFmdBgHIAEoCz\
I0LmJyaWRnZW1hc3Rlci5nYW1lcy5icmlkZ2VzX3RvX25vd2hlcmUudjEuRHJhZnRQaGFzZUgAEkUKBWJ1aWxkGAggASgLMjQuYnJpZGdlbWFzdGVyLmdhbWVzLmJyaWRnZXNfdG9fbm93aGVyZS52MS5CdWlsZF\
BoYXNlSAASQwoEb3ZlchgJIAEoCzIzLmJyaWRnZW1hc3Rlci5nYW1lcy5icmlkZ2VzX3RvX25vd2hlcmUudjEuT3ZlclBoYXNlSAASQgoEb3BlbhgKIAMoCzI0LmJyaWRnZW1hc3Rlci5nYW1lcy5icmlkZ2VzX3\
RvX25vd2hlcmUudjEuQnJpZGdlQ2FyZBIRCgltb251bWVudHMYCyABKA0SRAoGdW5zZWVuGAwgAygLMjQuYnJpZGdlbWFzdGVyLmdhbWVzLmJyaWRnZXNfdG9fbm93aGVyZS52MS5CcmlkZ2VDYXJkEkEKBXNlYX\
RzGA0gAygLMjIuYnJpZGdlbWFzdGVyLmdhbWVzLmJyaWRnZXNfdG9fbm93aGVyZS52MS5TZWF0Vmlld0IHCgVwaGFzZUIOCgxfdmlld2VyX3NlYXQiGgoKRHJhZnRQaGFzZRIMCgRzZWF0GAEgASgNIgwKCkJ1aW\
xkUGhhc2UiCwoJT3ZlclBoYXNlIsUBCghTZWF0VmlldxJGCglzdHJ1Y3R1cmUYASADKAsyMy5icmlkZ2VtYXN0ZXIuZ2FtZXMuYnJpZGdlc190b19ub3doZXJlLnYxLlBsYWNlbWVudBIPCgdwaWxsYXJzGAIgAS\
gNEj0KBWNhcmRzGAMgAygLMi4uYnJpZGdlbWFzdGVyLmdhbWVzLmJyaWRnZXNfdG9fbm93aGVyZS52MS5DYXJkEg4KBnBsYWNlZBgEIAMoDRIRCgloYXNfZW5kZWQYBSABKAgitwEKCkdhbWVSZXN1bHQSRAoIY2\
9udHJhY3QYASABKA4yMi5icmlkZ2VtYXN0ZXIuZ2FtZXMuYnJpZGdlc190b19ub3doZXJlLnYxLkNvbnRyYWN0EhMKBndpbm5lchgCIAEoDUgAiAEBEkMKBnNjb3JlcxgDIAMoCzIzLmJyaWRnZW1hc3Rlci5nYW\
1lcy5icmlkZ2VzX3RvX25vd2hlcmUudjEuU2VhdFNjb3JlQgkKB193aW5uZXJiBnByb3RvMw",[Se]);var Sl=S("CjZicmlkZ2VtYXN0ZXIvZ2FtZXMvYnJpZGdlc190b19ub3doZXJlL3YxL3JlcXVlc3QucHJvdG8SKGJyaWRnZW1hc3Rlci5nYW1lcy5icmlkZ2VzX3RvX25vd2hlcmUudjEi4wEKB1JlcXVlc3QSSg\
oLb2JzZXJ2YXRpb24YASABKAsyNS5icmlkZ2VtYXN0ZXIuZ2FtZXMuYnJpZGdlc190b19ub3doZXJlLnYxLk9ic2VydmF0aW9uEksKD2xlZ2FsX2RlY2lzaW9ucxgCIAMoCzIyLmJyaWRnZW1hc3Rlci5nYW1lcy\
5icmlkZ2VzX3RvX25vd2hlcmUudjEuRGVjaXNpb24SPwoGZXZlbnRzGAMgAygLMi8uYnJpZGdlbWFzdGVyLmdhbWVzLmJyaWRnZXNfdG9fbm93aGVyZS52MS5FdmVudGIGcHJvdG8z",[Vr,vr,Gr]);var El=S("CjRicmlkZ2VtYXN0ZXIvZ2FtZXMvYnJpZGdlc190b19ub3doZXJlL3YxL3NldHVwLnByb3RvEihicmlkZ2VtYXN0ZXIuZ2FtZXMuYnJpZGdlc190b19ub3doZXJlLnYxIo0BCgVTZXR1cBJFCgljb2\
50cmFjdHMYASADKA4yMi5icmlkZ2VtYXN0ZXIuZ2FtZXMuYnJpZGdlc190b19ub3doZXJlLnYxLkNvbnRyYWN0Ej0KBWRlYWxzGAIgAygLMi4uYnJpZGdlbWFzdGVyLmdhbWVzLmJyaWRnZXNfdG9fbm93aGVyZS\
52MS5EZWFsImEKBERlYWwSFQoNZmlyc3RfZHJhZnRlchgBIAEoDRJCCgRkZWNrGAIgAygLMjQuYnJpZGdlbWFzdGVyLmdhbWVzLmJyaWRnZXNfdG9fbm93aGVyZS52MS5CcmlkZ2VDYXJkYgZwcm90bzM",[Se]);var Ee=S("CjJicmlkZ2VtYXN0ZXIvZ2FtZXMvY2FyY2Fzc29ubmUvdjEvY29tcG9uZW50cy5wcm90bxIhYnJpZGdlbWFzdGVyLmdhbWVzLmNhcmNhc3Nvbm5lLnYxKpgFCghUaWxlS2luZBIZChVUSUxFX0tJTk\
RfVU5TUEVDSUZJRUQQABIPCgtUSUxFX0tJTkRfQRABEg8KC1RJTEVfS0lORF9CEAISDwoLVElMRV9LSU5EX0MQAxIPCgtUSUxFX0tJTkRfRBAEEg8KC1RJTEVfS0lORF9FEAUSDwoLVElMRV9LSU5EX0YQBhIPCg\
tUSUxFX0tJTkRfRxAHEg8KC1RJTEVfS0lORF9IEAgSDwoLVElMRV9LSU5EX0kQCRIPCgtUSUxFX0tJTkRfShAKEg8KC1RJTEVfS0lORF9LEAsSDwoLVElMRV9LSU5EX0wQDBIPCgtUSUxFX0tJTkRfTRANEg8KC1\
RJTEVfS0lORF9OEA4SDwoLVElMRV9LSU5EX08QDxIPCgtUSUxFX0tJTkRfUBAQEg8KC1RJTEVfS0lORF9REBESDwoLVElMRV9LSU5EX1IQEhIPCgtUSUxFX0tJTkRfUxATEg8KC1RJTEVfS0lORF9UEBQSDwoLVE\
lMRV9LSU5EX1UQFRIPCgtUSUxFX0tJTkRfVhAWEg8KC1RJTEVfS0lORF9XEBcSDwoLVElMRV9LSU5EX1gQGBIQCgxUSUxFX0tJTkRfRDEQGRIQCgxUSUxFX0tJTkRfRDIQGhIQCgxUSUxFX0tJTkRfRDMQGxIQCg\
xUSUxFX0tJTkRfRDQQHBIQCgxUSUxFX0tJTkRfRDUQHRIQCgxUSUxFX0tJTkRfRDYQHhIQCgxUSUxFX0tJTkRfRDcQHxIQCgxUSUxFX0tJTkRfRDgQIBIQCgxUSUxFX0tJTkRfRDkQIRIRCg1USUxFX0tJTkRfRD\
EwECISEQoNVElMRV9LSU5EX0QxMRAjEhEKDVRJTEVfS0lORF9EMTIQJCpZCgdUZXJyYWluEhcKE1RFUlJBSU5fVU5TUEVDSUZJRUQQABIRCg1URVJSQUlOX0ZJRUxEEAESEAoMVEVSUkFJTl9ST0FEEAISEAoMVE\
VSUkFJTl9DSVRZEAMqWgoERWRnZRIUChBFREdFX1VOU1BFQ0lGSUVEEAASDgoKRURHRV9OT1JUSBABEg0KCUVER0VfRUFTVBACEg4KCkVER0VfU09VVEgQAxINCglFREdFX1dFU1QQBCr1AQoISGFsZkVkZ2USGQ\
oVSEFMRl9FREdFX1VOU1BFQ0lGSUVEEAASGAoUSEFMRl9FREdFX05PUlRIX0xFRlQQARIZChVIQUxGX0VER0VfTk9SVEhfUklHSFQQAhIXChNIQUxGX0VER0VfRUFTVF9MRUZUEAMSGAoUSEFMRl9FREdFX0VBU1\
RfUklHSFQQBBIYChRIQUxGX0VER0VfU09VVEhfTEVGVBAFEhkKFUhBTEZfRURHRV9TT1VUSF9SSUdIVBAGEhcKE0hBTEZfRURHRV9XRVNUX0xFRlQQBxIYChRIQUxGX0VER0VfV0VTVF9SSUdIVBAIKuUDCgdTZW\
dtZW50EhcKE1NFR01FTlRfVU5TUEVDSUZJRUQQABIWChJTRUdNRU5UX1JPQURfTk9SVEgQARIVChFTRUdNRU5UX1JPQURfRUFTVBACEhYKElNFR01FTlRfUk9BRF9TT1VUSBADEhUKEVNFR01FTlRfUk9BRF9XRV\
NUEAQSFgoSU0VHTUVOVF9DSVRZX05PUlRIEAUSFQoRU0VHTUVOVF9DSVRZX0VBU1QQBhIWChJTRUdNRU5UX0NJVFlfU09VVEgQBxIVChFTRUdNRU5UX0NJVFlfV0VTVBAIEhUKEVNFR01FTlRfTU9OQVNURVJZEA\
kSHAoYU0VHTUVOVF9GSUVMRF9OT1JUSF9MRUZUEAoSHQoZU0VHTUVOVF9GSUVMRF9OT1JUSF9SSUdIVBALEhsKF1NFR01FTlRfRklFTERfRUFTVF9MRUZUEAwSHAoYU0VHTUVOVF9GSUVMRF9FQVNUX1JJR0hUEA\
0SHAoYU0VHTUVOVF9GSUVMRF9TT1VUSF9MRUZUEA4SHQoZU0VHTUVOVF9GSUVMRF9TT1VUSF9SSUdIVBAPEhsKF1NFR01FTlRfRklFTERfV0VTVF9MRUZUEBASHAoYU0VHTUVOVF9GSUVMRF9XRVNUX1JJR0hUEB\
FiBnByb3RvMw"),xr=(R=>(R[R.UNSPECIFIED=0]="UNSPECIFIED",R[R.A=1]="A",R[R.B=2]="B",R[R.C=3]="C",R[R.D=4]="D",R[R.E=5]="E",R[R.F=6]="F",R[R.G=7]="G",R[R.H=8]="H",
R[R.I=9]="I",R[R.J=10]="J",R[R.K=11]="K",R[R.L=12]="L",R[R.M=13]="M",R[R.N=14]="N",R[R.O=15]="O",R[R.P=16]="P",R[R.Q=17]="Q",R[R.R=18]="R",R[R.S=19]="S",R[R.T=20]=
"T",R[R.U=21]="U",R[R.V=22]="V",R[R.W=23]="W",R[R.X=24]="X",R[R.D1=25]="D1",R[R.D2=26]="D2",R[R.D3=27]="D3",R[R.D4=28]="D4",R[R.D5=29]="D5",R[R.D6=30]="D6",R[R.
D7=31]="D7",R[R.D8=32]="D8",R[R.D9=33]="D9",R[R.D10=34]="D10",R[R.D11=35]="D11",R[R.D12=36]="D12",R))(xr||{});var xt=(o=>(o[o.UNSPECIFIED=0]="UNSPECIFIED",o[o.NORTH=1]="NORTH",o[o.EAST=2]="EAST",o[o.SOUTH=3]="SOUTH",o[o.WEST=4]="WEST",o))(xt||{});var It=(Z=>(Z[Z.UNSPECIFIED=0]="UNSPECIFIED",Z[Z.ROAD_NORTH=1]="ROAD_NORTH",Z[Z.ROAD_EAST=2]="ROAD_EAST",Z[Z.ROAD_SOUTH=3]="ROAD_SOUTH",Z[Z.ROAD_WEST=4]="ROAD_W\
EST",Z[Z.CITY_NORTH=5]="CITY_NORTH",Z[Z.CITY_EAST=6]="CITY_EAST",Z[Z.CITY_SOUTH=7]="CITY_SOUTH",Z[Z.CITY_WEST=8]="CITY_WEST",Z[Z.MONASTERY=9]="MONASTERY",Z[Z.FIELD_NORTH_LEFT=
10]="FIELD_NORTH_LEFT",Z[Z.FIELD_NORTH_RIGHT=11]="FIELD_NORTH_RIGHT",Z[Z.FIELD_EAST_LEFT=12]="FIELD_EAST_LEFT",Z[Z.FIELD_EAST_RIGHT=13]="FIELD_EAST_RIGHT",Z[Z.FIELD_SOUTH_LEFT=
14]="FIELD_SOUTH_LEFT",Z[Z.FIELD_SOUTH_RIGHT=15]="FIELD_SOUTH_RIGHT",Z[Z.FIELD_WEST_LEFT=16]="FIELD_WEST_LEFT",Z[Z.FIELD_WEST_RIGHT=17]="FIELD_WEST_RIGHT",Z))(It||
{});var Rl=S("Ci5icmlkZ2VtYXN0ZXIvZ2FtZXMvY2FyY2Fzc29ubmUvdjEvY29uZmlnLnByb3RvEiFicmlkZ2VtYXN0ZXIuZ2FtZXMuY2FyY2Fzc29ubmUudjEi0AEKBkNvbmZpZxIYCgtkcmF3YnJpZGdlcxgBIA\
EoCEgAiAEBEhMKBmZpZWxkcxgCIAEoCEgBiAEBEjsKB2VkaXRpb24YAyABKAsyKi5icmlkZ2VtYXN0ZXIuZ2FtZXMuY2FyY2Fzc29ubmUudjEuRWRpdGlvbhI/CgpiYXNlX3RpbGVzGAQgAygLMisuYnJpZGdlbW\
FzdGVyLmdhbWVzLmNhcmNhc3Nvbm5lLnYxLkJhc2VUaWxlQg4KDF9kcmF3YnJpZGdlc0IJCgdfZmllbGRzIk8KB0VkaXRpb24SDAoEbmFtZRgBIAEoCRI2CgV0aWxlcxgCIAMoCzInLmJyaWRnZW1hc3Rlci5nYW\
1lcy5jYXJjYXNzb25uZS52MS5UaWxlIlAKCEJhc2VUaWxlEg0KBWNvdW50GAEgASgNEjUKBHRpbGUYAiABKAsyJy5icmlkZ2VtYXN0ZXIuZ2FtZXMuY2FyY2Fzc29ubmUudjEuVGlsZSKUAgoEVGlsZRI5CgVlZG\
dlcxgBIAMoDjIqLmJyaWRnZW1hc3Rlci5nYW1lcy5jYXJjYXNzb25uZS52MS5UZXJyYWluEj4KBmNpdGllcxgCIAMoCzIuLmJyaWRnZW1hc3Rlci5nYW1lcy5jYXJjYXNzb25uZS52MS5DaXR5U2VnbWVudBI9Cg\
Vyb2FkcxgDIAMoCzIuLmJyaWRnZW1hc3Rlci5nYW1lcy5jYXJjYXNzb25uZS52MS5Sb2FkU2VnbWVudBI/CgZmaWVsZHMYBCADKAsyLy5icmlkZ2VtYXN0ZXIuZ2FtZXMuY2FyY2Fzc29ubmUudjEuRmllbGRTZW\
dtZW50EhEKCW1vbmFzdGVyeRgFIAEoCCJVCgtDaXR5U2VnbWVudBI2CgVlZGdlcxgBIAMoDjInLmJyaWRnZW1hc3Rlci5nYW1lcy5jYXJjYXNzb25uZS52MS5FZGdlEg4KBnNoaWVsZBgCIAEoCCKCAQoLUm9hZF\
NlZ21lbnQSNgoFZWRnZXMYASADKA4yJy5icmlkZ2VtYXN0ZXIuZ2FtZXMuY2FyY2Fzc29ubmUudjEuRWRnZRI7CgpkcmF3YnJpZGdlGAIgASgOMicuYnJpZGdlbWFzdGVyLmdhbWVzLmNhcmNhc3Nvbm5lLnYxLk\
VkZ2UiiAEKDEZpZWxkU2VnbWVudBI/CgpoYWxmX2VkZ2VzGAEgAygOMisuYnJpZGdlbWFzdGVyLmdhbWVzLmNhcmNhc3Nvbm5lLnYxLkhhbGZFZGdlEjcKBmNpdGllcxgCIAMoDjInLmJyaWRnZW1hc3Rlci5nYW\
1lcy5jYXJjYXNzb25uZS52MS5FZGdlYgZwcm90bzM",[Ee]);var Nt=S("CjBicmlkZ2VtYXN0ZXIvZ2FtZXMvY2FyY2Fzc29ubmUvdjEvZGVjaXNpb24ucHJvdG8SIWJyaWRnZW1hc3Rlci5nYW1lcy5jYXJjYXNzb25uZS52MSLjAQoIRGVjaXNpb24SPQoFcGxhY2UYASABKA\
syLC5icmlkZ2VtYXN0ZXIuZ2FtZXMuY2FyY2Fzc29ubmUudjEuUGxhY2VtZW50SAASQQoGbWVlcGxlGAIgASgLMi8uYnJpZGdlbWFzdGVyLmdhbWVzLmNhcmNhc3Nvbm5lLnYxLk1lZXBsZUNob2ljZUgAEkkKCm\
RyYXdicmlkZ2UYAyABKAsyMy5icmlkZ2VtYXN0ZXIuZ2FtZXMuY2FyY2Fzc29ubmUudjEuRHJhd2JyaWRnZUNob2ljZUgAQgoKCGRlY2lzaW9uIjMKCVBsYWNlbWVudBIJCgF4GAEgASgREgkKAXkYAiABKBESEA\
oIcm90YXRpb24YAyABKA0ilAEKDE1lZXBsZUNob2ljZRI7CgRub25lGAEgASgLMisuYnJpZGdlbWFzdGVyLmdhbWVzLmNhcmNhc3Nvbm5lLnYxLk5vTWVlcGxlSAASPQoHc2VnbWVudBgCIAEoDjIqLmJyaWRnZW\
1hc3Rlci5nYW1lcy5jYXJjYXNzb25uZS52MS5TZWdtZW50SABCCAoGY2hvaWNlIgoKCE5vTWVlcGxlIo4BChBEcmF3YnJpZGdlQ2hvaWNlEjcKBGhvbWUYASABKAsyJy5icmlkZ2VtYXN0ZXIuZ2FtZXMuY2FyY2\
Fzc29ubmUudjEuSG9tZUgAEjcKBGdhdGUYAiABKAsyJy5icmlkZ2VtYXN0ZXIuZ2FtZXMuY2FyY2Fzc29ubmUudjEuR2F0ZUgAQggKBmNob2ljZSIGCgRIb21lIlMKBEdhdGUSCQoBeBgBIAEoERIJCgF5GAIgAS\
gREjUKBGNpdHkYAyABKA4yJy5icmlkZ2VtYXN0ZXIuZ2FtZXMuY2FyY2Fzc29ubmUudjEuRWRnZWIGcHJvdG8z",[Ee]);var Ir=S("Ci1icmlkZ2VtYXN0ZXIvZ2FtZXMvY2FyY2Fzc29ubmUvdjEvZXZlbnQucHJvdG8SIWJyaWRnZW1hc3Rlci5nYW1lcy5jYXJjYXNzb25uZS52MSLYBQoFRXZlbnQSQgoKdGlsZV9kcmF3bhgBIAEoCz\
IsLmJyaWRnZW1hc3Rlci5nYW1lcy5jYXJjYXNzb25uZS52MS5UaWxlRHJhd25IABJGCgx0aWxlX3JlbW92ZWQYAiABKAsyLi5icmlkZ2VtYXN0ZXIuZ2FtZXMuY2FyY2Fzc29ubmUudjEuVGlsZVJlbW92ZWRIAB\
JECgt0aWxlX3BsYWNlZBgDIAEoCzItLmJyaWRnZW1hc3Rlci5nYW1lcy5jYXJjYXNzb25uZS52MS5UaWxlUGxhY2VkSAASSAoNbWVlcGxlX3BsYWNlZBgEIAEoCzIvLmJyaWRnZW1hc3Rlci5nYW1lcy5jYXJjYX\
Nzb25uZS52MS5NZWVwbGVQbGFjZWRIABJECgttZWVwbGVfa2VwdBgFIAEoCzItLmJyaWRnZW1hc3Rlci5nYW1lcy5jYXJjYXNzb25uZS52MS5NZWVwbGVLZXB0SAASOwoGc2NvcmVkGAYgASgLMikuYnJpZGdlbW\
FzdGVyLmdhbWVzLmNhcmNhc3Nvbm5lLnYxLlNjb3JlZEgAEkwKD2RyYXdicmlkZ2VfZG93bhgHIAEoCzIxLmJyaWRnZW1hc3Rlci5nYW1lcy5jYXJjYXNzb25uZS52MS5EcmF3YnJpZGdlRG93bkgAEkQKC21lZX\
BsZV9zZW50GAggASgLMi0uYnJpZGdlbWFzdGVyLmdhbWVzLmNhcmNhc3Nvbm5lLnYxLk1lZXBsZVNlbnRIABJPChFtZWVwbGVfdGFrZW5faG9tZRgJIAEoCzIyLmJyaWRnZW1hc3Rlci5nYW1lcy5jYXJjYXNzb2\
5uZS52MS5NZWVwbGVUYWtlbkhvbWVIABJCCgpnYW1lX2VuZGVkGAogASgLMiwuYnJpZGdlbWFzdGVyLmdhbWVzLmNhcmNhc3Nvbm5lLnYxLkdhbWVFbmRlZEgAQgcKBWV2ZW50IlQKCVRpbGVEcmF3bhIMCgRzZW\
F0GAEgASgNEjkKBHRpbGUYAiABKA4yKy5icmlkZ2VtYXN0ZXIuZ2FtZXMuY2FyY2Fzc29ubmUudjEuVGlsZUtpbmQiVgoLVGlsZVJlbW92ZWQSDAoEc2VhdBgBIAEoDRI5CgR0aWxlGAIgASgOMisuYnJpZGdlbW\
FzdGVyLmdhbWVzLmNhcmNhc3Nvbm5lLnYxLlRpbGVLaW5kIpYBCgpUaWxlUGxhY2VkEgwKBHNlYXQYASABKA0SOQoEdGlsZRgCIAEoDjIrLmJyaWRnZW1hc3Rlci5nYW1lcy5jYXJjYXNzb25uZS52MS5UaWxlS2\
luZBI/CglwbGFjZW1lbnQYAyABKAsyLC5icmlkZ2VtYXN0ZXIuZ2FtZXMuY2FyY2Fzc29ubmUudjEuUGxhY2VtZW50Im8KDE1lZXBsZVBsYWNlZBIMCgRzZWF0GAEgASgNEgkKAXgYAiABKBESCQoBeRgDIAEoER\
I7CgdzZWdtZW50GAQgASgOMiouYnJpZGdlbWFzdGVyLmdhbWVzLmNhcmNhc3Nvbm5lLnYxLlNlZ21lbnQiGgoKTWVlcGxlS2VwdBIMCgRzZWF0GAEgASgNIo0BCgZTY29yZWQSCQoBeBgBIAEoERIJCgF5GAIgAS\
gREjsKB3NlZ21lbnQYAyABKA4yKi5icmlkZ2VtYXN0ZXIuZ2FtZXMuY2FyY2Fzc29ubmUudjEuU2VnbWVudBIRCgljb21wbGV0ZWQYBCABKAgSDgoGcG9pbnRzGAUgASgNEg0KBXNlYXRzGAYgAygNInwKDkRyYX\
dicmlkZ2VEb3duEgwKBHNlYXQYASABKA0SCQoBeBgCIAEoERIJCgF5GAMgASgREjUKBHJvYWQYBCABKA4yJy5icmlkZ2VtYXN0ZXIuZ2FtZXMuY2FyY2Fzc29ubmUudjEuRWRnZRIPCgdtZWVwbGVzGAUgASgNIl\
EKCk1lZXBsZVNlbnQSDAoEc2VhdBgBIAEoDRI1CgRnYXRlGAIgASgLMicuYnJpZGdlbWFzdGVyLmdhbWVzLmNhcmNhc3Nvbm5lLnYxLkdhdGUiHwoPTWVlcGxlVGFrZW5Ib21lEgwKBHNlYXQYASABKA0iCwoJR2\
FtZUVuZGVkYgZwcm90bzM",[Ee,Nt]);var Nr=S("CjNicmlkZ2VtYXN0ZXIvZ2FtZXMvY2FyY2Fzc29ubmUvdjEvb2JzZXJ2YXRpb24ucHJvdG8SIWJyaWRnZW1hc3Rlci5nYW1lcy5jYXJjYXNzb25uZS52MSLzBAoLT2JzZXJ2YXRpb24SGAoLdmlld2\
VyX3NlYXQYASABKA1IAYgBARIRCgl0dXJuX3NlYXQYAiABKA0SRwoKcGxhY2VfdGlsZRgDIAEoCzIxLmJyaWRnZW1hc3Rlci5nYW1lcy5jYXJjYXNzb25uZS52MS5QbGFjZVRpbGVQaGFzZUgAEksKDHBsYWNlX2\
1lZXBsZRgEIAEoCzIzLmJyaWRnZW1hc3Rlci5nYW1lcy5jYXJjYXNzb25uZS52MS5QbGFjZU1lZXBsZVBoYXNlSAASSAoKZHJhd2JyaWRnZRgFIAEoCzIyLmJyaWRnZW1hc3Rlci5nYW1lcy5jYXJjYXNzb25uZS\
52MS5EcmF3YnJpZGdlUGhhc2VIABI8CgRvdmVyGAYgASgLMiwuYnJpZGdlbWFzdGVyLmdhbWVzLmNhcmNhc3Nvbm5lLnYxLk92ZXJQaGFzZUgAEjoKBXNlYXRzGAcgAygLMisuYnJpZGdlbWFzdGVyLmdhbWVzLm\
NhcmNhc3Nvbm5lLnYxLlNlYXRWaWV3EjoKBXRpbGVzGAggAygLMisuYnJpZGdlbWFzdGVyLmdhbWVzLmNhcmNhc3Nvbm5lLnYxLkxhaWRUaWxlEjoKB21lZXBsZXMYCSADKAsyKS5icmlkZ2VtYXN0ZXIuZ2FtZX\
MuY2FyY2Fzc29ubmUudjEuTWVlcGxlEjwKB3JlbW92ZWQYCiADKA4yKy5icmlkZ2VtYXN0ZXIuZ2FtZXMuY2FyY2Fzc29ubmUudjEuVGlsZUtpbmQSDgoGdW5zZWVuGAsgAygNQgcKBXBoYXNlQg4KDF92aWV3ZX\
Jfc2VhdCJLCg5QbGFjZVRpbGVQaGFzZRI5CgR0aWxlGAEgASgOMisuYnJpZGdlbWFzdGVyLmdhbWVzLmNhcmNhc3Nvbm5lLnYxLlRpbGVLaW5kIhIKEFBsYWNlTWVlcGxlUGhhc2UiUQoPRHJhd2JyaWRnZVBoYX\
NlEj4KCWNyb3NzaW5ncxgBIAMoCzIrLmJyaWRnZW1hc3Rlci5nYW1lcy5jYXJjYXNzb25uZS52MS5Dcm9zc2luZyILCglPdmVyUGhhc2UiYAoIQ3Jvc3NpbmcSNQoEcm9hZBgBIAEoDjInLmJyaWRnZW1hc3Rlci\
5nYW1lcy5jYXJjYXNzb25uZS52MS5FZGdlEgwKBHNlYXQYAiABKA0SDwoHbWVlcGxlcxgDIAEoDSJeCghTZWF0VmlldxIOCgZzdXBwbHkYASABKA0SEwoLcm9hZF9wb2ludHMYAiABKA0SEwoLY2l0eV9wb2ludH\
MYAyABKA0SGAoQbW9uYXN0ZXJ5X3BvaW50cxgEIAEoDSJtCghMYWlkVGlsZRI5CgR0aWxlGAEgASgOMisuYnJpZGdlbWFzdGVyLmdhbWVzLmNhcmNhc3Nvbm5lLnYxLlRpbGVLaW5kEgkKAXgYAiABKBESCQoBeR\
gDIAEoERIQCghyb3RhdGlvbhgEIAEoDSJpCgZNZWVwbGUSDAoEc2VhdBgBIAEoDRIJCgF4GAIgASgREgkKAXkYAyABKBESOwoHc2VnbWVudBgEIAEoDjIqLmJyaWRnZW1hc3Rlci5nYW1lcy5jYXJjYXNzb25uZS\
52MS5TZWdtZW50YgZwcm90bzM",[Ee]);var Al=S("Ci9icmlkZ2VtYXN0ZXIvZ2FtZXMvY2FyY2Fzc29ubmUvdjEvcmVxdWVzdC5wcm90bxIhYnJpZGdlbWFzdGVyLmdhbWVzLmNhcmNhc3Nvbm5lLnYxIs4BCgdSZXF1ZXN0EkMKC29ic2VydmF0aW9uGA\
EgASgLMi4uYnJpZGdlbWFzdGVyLmdhbWVzLmNhcmNhc3Nvbm5lLnYxLk9ic2VydmF0aW9uEkQKD2xlZ2FsX2RlY2lzaW9ucxgCIAMoCzIrLmJyaWRnZW1hc3Rlci5nYW1lcy5jYXJjYXNzb25uZS52MS5EZWNpc2\
lvbhI4CgZldmVudHMYAyADKAsyKC5icmlkZ2VtYXN0ZXIuZ2FtZXMuY2FyY2Fzc29ubmUudjEuRXZlbnRiBnByb3RvMw",[Nt,Ir,Nr]);var Zl=S("Ci1icmlkZ2VtYXN0ZXIvZ2FtZXMvY2FyY2Fzc29ubmUvdjEvc2V0dXAucHJvdG8SIWJyaWRnZW1hc3Rlci5nYW1lcy5jYXJjYXNzb25uZS52MSJXCgVTZXR1cBISCgpmaXJzdF9zZWF0GAEgASgNEj\
oKBXRpbGVzGAIgAygOMisuYnJpZGdlbWFzdGVyLmdhbWVzLmNhcmNhc3Nvbm5lLnYxLlRpbGVLaW5kYgZwcm90bzM",[Ee]);var Re=S("CjhicmlkZ2VtYXN0ZXIvZ2FtZXMvb2xkX2xvbmRvbl9icmlkZ2UvdjEvY29tcG9uZW50cy5wcm90bxInYnJpZGdlbWFzdGVyLmdhbWVzLm9sZF9sb25kb25fYnJpZGdlLnYxIv4BCgVGYWNlcxI9Cg\
ZjaGFwZWwYASABKA4yLS5icmlkZ2VtYXN0ZXIuZ2FtZXMub2xkX2xvbmRvbl9icmlkZ2UudjEuRmFjZRI7CgRnYXRlGAIgASgOMi0uYnJpZGdlbWFzdGVyLmdhbWVzLm9sZF9sb25kb25fYnJpZGdlLnYxLkZhY2\
USOgoDaW5uGAMgASgOMi0uYnJpZGdlbWFzdGVyLmdhbWVzLm9sZF9sb25kb25fYnJpZGdlLnYxLkZhY2USPQoGYnJpZGdlGAQgASgOMi0uYnJpZGdlbWFzdGVyLmdhbWVzLm9sZF9sb25kb25fYnJpZGdlLnYxLk\
ZhY2UilAEKCEJ1aWxkaW5nEjsKBGtpbmQYASABKA4yLS5icmlkZ2VtYXN0ZXIuZ2FtZXMub2xkX2xvbmRvbl9icmlkZ2UudjEuS2luZBIOCgZudW1iZXIYAiABKA0SOwoEY29hdBgDIAEoDjItLmJyaWRnZW1hc3\
Rlci5nYW1lcy5vbGRfbG9uZG9uX2JyaWRnZS52MS5Db2F0IjwKC1BsYXllZENhcmRzEg0KBWZpcnN0GAEgASgNEhMKBnNlY29uZBgCIAEoDUgAiAEBQgkKB19zZWNvbmQiJwoGUmFpc2VzEg0KBWZpcnN0GAEgAS\
gNEg4KBnNlY29uZBgCIAEoDSKmAQoEUGF3bhJBCgNvZmYYASABKAsyMi5icmlkZ2VtYXN0ZXIuZ2FtZXMub2xkX2xvbmRvbl9icmlkZ2UudjEuT2ZmUm9uZGVsSAASDwoFb3V0ZXIYAiABKA1IABJBCgZjZW50cm\
UYAyABKAsyLy5icmlkZ2VtYXN0ZXIuZ2FtZXMub2xkX2xvbmRvbl9icmlkZ2UudjEuQ2VudHJlSABCBwoFcGxhY2UiCwoJT2ZmUm9uZGVsIggKBkNlbnRyZSIxCgRUdXJuEgwKBHNlYXQYASABKA0SDAoEY2FyZB\
gCIAEoDRINCgV2YWx1ZRgDIAEoDSqEAQoES2luZBIUChBLSU5EX1VOU1BFQ0lGSUVEEAASDwoLS0lORF9DSEFQRUwQARINCglLSU5EX0dBVEUQAhIMCghLSU5EX0lOThADEhUKEUtJTkRfSEFCRVJEQVNIRVJZEA\
QSEgoOS0lORF9HVUlMREhBTEwQBRINCglLSU5EX1BBUksQBipbCgRDb2F0EhQKEENPQVRfVU5TUEVDSUZJRUQQABINCglDT0FUX0JMVUUQARIPCgtDT0FUX09SQU5HRRACEg0KCUNPQVRfR1JFWRADEg4KCkNPQV\
RfR1JFRU4QBCrqAQoIVGlsZUtpbmQSGQoVVElMRV9LSU5EX1VOU1BFQ0lGSUVEEAASEwoPVElMRV9LSU5EX1NIQVJFEAESGQoVVElMRV9LSU5EX0ZSRUVfQ0VOVFJFEAISFQoRVElMRV9LSU5EX1hfU1BBQ0UQAx\
IUChBUSUxFX0tJTkRfUkVDQUxMEAQSGwoXVElMRV9LSU5EX0NIQVBFTF9QTFVTXzIQBRIZChVUSUxFX0tJTkRfR0FURV9QTFVTXzIQBhIWChJUSUxFX0tJTkRfUExVU19PTkUQBxIWChJUSUxFX0tJTkRfVEFLRV\
9BXzIQCCrXAwoERmFjZRIUChBGQUNFX1VOU1BFQ0lGSUVEEAASFQoRRkFDRV9DSEFQRUxfVFJBQ0sQARIVChFGQUNFX01PU1RfQ0hBUEVMUxACEhYKEkZBQ0VfQ0hBUEVMX0xFQURFUhADEhYKEkZBQ0VfQUhFQU\
RfT0ZfTEFTVBAEEhQKEEZBQ0VfTU9ORVlfQUdBSU4QBRITCg9GQUNFX0dBVEVfVFJBQ0sQBhITCg9GQUNFX01PU1RfR0FURVMQBxIUChBGQUNFX0dBVEVfTEVBREVSEAgSFgoSRkFDRV9HQVRFX0RJU1RBTkNFEA\
kSEwoPRkFDRV9USUxFX1RBQkxFEAoSEQoNRkFDRV9IQU5EX1NVTRALEhIKDkZBQ0VfTU9TVF9JTk5TEAwSFQoRRkFDRV9ISUdIRVNUX0NBUkQQDRISCg5GQUNFX0hBTkRfU0laRRAOEhIKDkZBQ0VfQ0FSRF9TRV\
RTEA8SFwoTRkFDRV9NT1NUX0JVSUxESU5HUxAQEhcKE0ZBQ0VfTE9OR0VTVF9TRVJJRVMQERIWChJGQUNFX0xPV0VTVF9OVU1CRVIQEhIUChBGQUNFX0xPV19OVU1CRVJTEBMSEgoORkFDRV9GVUxMX1NFVFMQFG\
IGcHJvdG8z");var Ue=(i=>(i[i.UNSPECIFIED=0]="UNSPECIFIED",i[i.CHAPEL=1]="CHAPEL",i[i.GATE=2]="GATE",i[i.INN=3]="INN",i[i.HABERDASHERY=4]="HABERDASHERY",i[i.GUILDHALL=5]="GUI\
LDHALL",i[i.PARK=6]="PARK",i))(Ue||{});var Do=(o=>(o[o.UNSPECIFIED=0]="UNSPECIFIED",o[o.BLUE=1]="BLUE",o[o.ORANGE=2]="ORANGE",o[o.GREY=3]="GREY",o[o.GREEN=4]="GREEN",o))(Do||{});var rn=(l=>(l[l.UNSPECIFIED=0]="UNSPECIFIED",l[l.SHARE=1]="SHARE",l[l.FREE_CENTRE=2]="FREE_CENTRE",l[l.X_SPACE=3]="X_SPACE",l[l.RECALL=4]="RECALL",l[l.CHAPEL_PLUS_2=
5]="CHAPEL_PLUS_2",l[l.GATE_PLUS_2=6]="GATE_PLUS_2",l[l.PLUS_ONE=7]="PLUS_ONE",l[l.TAKE_A_2=8]="TAKE_A_2",l))(rn||{});var Mr=S("CjRicmlkZ2VtYXN0ZXIvZ2FtZXMvb2xkX2xvbmRvbl9icmlkZ2UvdjEvY29uZmlnLnByb3RvEidicmlkZ2VtYXN0ZXIuZ2FtZXMub2xkX2xvbmRvbl9icmlkZ2UudjEi3gEKBkNvbmZpZxJDCgVmYW\
NlcxgBIAEoCzI0LmJyaWRnZW1hc3Rlci5nYW1lcy5vbGRfbG9uZG9uX2JyaWRnZS52MS5GYWNlQ2hvaWNlcxJBCgdlZGl0aW9uGAIgASgLMjAuYnJpZGdlbWFzdGVyLmdhbWVzLm9sZF9sb25kb25fYnJpZGdlLn\
YxLkVkaXRpb24STAoNc3RhcnRfbGVhZGVycxgDIAEoDjI1LmJyaWRnZW1hc3Rlci5nYW1lcy5vbGRfbG9uZG9uX2JyaWRnZS52MS5TdGFydExlYWRlcnMinAIKC0ZhY2VDaG9pY2VzEkMKBmNoYXBlbBgBIAEoCz\
IzLmJyaWRnZW1hc3Rlci5nYW1lcy5vbGRfbG9uZG9uX2JyaWRnZS52MS5GYWNlQ2hvaWNlEkEKBGdhdGUYAiABKAsyMy5icmlkZ2VtYXN0ZXIuZ2FtZXMub2xkX2xvbmRvbl9icmlkZ2UudjEuRmFjZUNob2ljZR\
JACgNpbm4YAyABKAsyMy5icmlkZ2VtYXN0ZXIuZ2FtZXMub2xkX2xvbmRvbl9icmlkZ2UudjEuRmFjZUNob2ljZRJDCgZicmlkZ2UYBCABKAsyMy5icmlkZ2VtYXN0ZXIuZ2FtZXMub2xkX2xvbmRvbl9icmlkZ2\
UudjEuRmFjZUNob2ljZSKcAQoKRmFjZUNob2ljZRI9CgRmYWNlGAEgASgOMi0uYnJpZGdlbWFzdGVyLmdhbWVzLm9sZF9sb25kb25fYnJpZGdlLnYxLkZhY2VIABJFCgZyYW5kb20YAiABKAsyMy5icmlkZ2VtYX\
N0ZXIuZ2FtZXMub2xkX2xvbmRvbl9icmlkZ2UudjEuUmFuZG9tRmFjZUgAQggKBmNob2ljZSIMCgpSYW5kb21GYWNlIpADCgdFZGl0aW9uEgwKBG5hbWUYASABKAkSOwoEcmluZxgCIAMoDjItLmJyaWRnZW1hc3\
Rlci5nYW1lcy5vbGRfbG9uZG9uX2JyaWRnZS52MS5LaW5kEhYKDnJvbmRlbF9pbmNvbWVzGAMgAygNEhkKEWNoYXBlbF9sYXN0X3NwYWNlGAQgASgNEkkKDGNoYXBlbF9tb25leRgFIAMoCzIzLmJyaWRnZW1hc3\
Rlci5nYW1lcy5vbGRfbG9uZG9uX2JyaWRnZS52MS5Nb25leVNwYWNlEhcKD2dhdGVfbGFzdF9zcGFjZRgGIAEoDRISCgpnYXRlX2JvbnVzGAcgAygNEkkKDGJvbnVzX3N0YWNrcxgIIAMoCzIzLmJyaWRnZW1hc3\
Rlci5nYW1lcy5vbGRfbG9uZG9uX2JyaWRnZS52MS5Cb251c1RpbGVzEkQKCWJ1aWxkaW5ncxgJIAMoCzIxLmJyaWRnZW1hc3Rlci5nYW1lcy5vbGRfbG9uZG9uX2JyaWRnZS52MS5CdWlsZGluZyIqCgpNb25leV\
NwYWNlEg0KBXNwYWNlGAEgASgNEg0KBW1vbmV5GAIgASgNIk4KCkJvbnVzVGlsZXMSQAoFdGlsZXMYASADKA4yMS5icmlkZ2VtYXN0ZXIuZ2FtZXMub2xkX2xvbmRvbl9icmlkZ2UudjEuVGlsZUtpbmQqXwoMU3\
RhcnRMZWFkZXJzEh0KGVNUQVJUX0xFQURFUlNfVU5TUEVDSUZJRUQQABIYChRTVEFSVF9MRUFERVJTX1VOUEFJRBABEhYKElNUQVJUX0xFQURFUlNfUEFJRBACYgZwcm90bzM",[Re]);var Fr=S("CjZicmlkZ2VtYXN0ZXIvZ2FtZXMvb2xkX2xvbmRvbl9icmlkZ2UvdjEvZGVjaXNpb24ucHJvdG8SJ2JyaWRnZW1hc3Rlci5nYW1lcy5vbGRfbG9uZG9uX2JyaWRnZS52MSKOBQoIRGVjaXNpb24SQw\
oIdGFrZV9hXzIYASABKAsyLy5icmlkZ2VtYXN0ZXIuZ2FtZXMub2xkX2xvbmRvbl9icmlkZ2UudjEuVGFrZUEySAASSgoKcGxheV9jYXJkcxgCIAEoCzI0LmJyaWRnZW1hc3Rlci5nYW1lcy5vbGRfbG9uZG9uX2\
JyaWRnZS52MS5QbGF5ZWRDYXJkc0gAEkYKC3JhaXNlX2NhcmRzGAMgASgLMi8uYnJpZGdlbWFzdGVyLmdhbWVzLm9sZF9sb25kb25fYnJpZGdlLnYxLlJhaXNlc0gAEj8KBXBsYWNlGAQgASgLMi4uYnJpZGdlbW\
FzdGVyLmdhbWVzLm9sZF9sb25kb25fYnJpZGdlLnYxLlBsYWNlSAASQwoHcmVwbGFjZRgFIAEoCzIwLmJyaWRnZW1hc3Rlci5nYW1lcy5vbGRfbG9uZG9uX2JyaWRnZS52MS5SZXBsYWNlSAASRgoJdGFrZV90aW\
xlGAYgASgLMjEuYnJpZGdlbWFzdGVyLmdhbWVzLm9sZF9sb25kb25fYnJpZGdlLnYxLlRha2VUaWxlSAASSAoKdGFrZV9jYXJkcxgHIAEoCzIyLmJyaWRnZW1hc3Rlci5nYW1lcy5vbGRfbG9uZG9uX2JyaWRnZS\
52MS5UYWtlQ2FyZHNIABJECgh1c2VfdGlsZRgIIAEoCzIwLmJyaWRnZW1hc3Rlci5nYW1lcy5vbGRfbG9uZG9uX2JyaWRnZS52MS5Vc2VUaWxlSAASPwoDZW5kGAkgASgLMjAuYnJpZGdlbWFzdGVyLmdhbWVzLm\
9sZF9sb25kb25fYnJpZGdlLnYxLkVuZFR1cm5IAEIKCghkZWNpc2lvbiIWCgZUYWtlQTISDAoEdXNlZBgBIAEoCCKiAQoFUGxhY2USOwoEc3BvdBgBIAEoDjItLmJyaWRnZW1hc3Rlci5nYW1lcy5vbGRfbG9uZG\
9uX2JyaWRnZS52MS5TcG90EjwKBXN0YWNrGAIgASgOMi0uYnJpZGdlbWFzdGVyLmdhbWVzLm9sZF9sb25kb25fYnJpZGdlLnYxLktpbmQSDQoFc2hhcmUYAyABKAgSDwoHb3BlbmluZxgEIAEoCCIXCgdSZXBsYW\
NlEgwKBHNsb3QYASABKA0iHwoIVGFrZVRpbGUSEwoLYm9udXNfc3RhY2sYASABKA0iGgoJVGFrZUNhcmRzEg0KBWNhcmRzGAEgAygNIkoKB1VzZVRpbGUSPwoEdGlsZRgBIAEoDjIxLmJyaWRnZW1hc3Rlci5nYW\
1lcy5vbGRfbG9uZG9uX2JyaWRnZS52MS5UaWxlS2luZCIJCgdFbmRUdXJuKj0KBFNwb3QSFAoQU1BPVF9VTlNQRUNJRklFRBAAEg4KClNQT1RfT1VURVIQARIPCgtTUE9UX0NFTlRSRRACYgZwcm90bzM",[Re]);var Yr=S("CjNicmlkZ2VtYXN0ZXIvZ2FtZXMvb2xkX2xvbmRvbl9icmlkZ2UvdjEvZXZlbnQucHJvdG8SJ2JyaWRnZW1hc3Rlci5nYW1lcy5vbGRfbG9uZG9uX2JyaWRnZS52MSLqDAoFRXZlbnQSTgoNcm91bm\
Rfc3RhcnRlZBgBIAEoCzI1LmJyaWRnZW1hc3Rlci5nYW1lcy5vbGRfbG9uZG9uX2JyaWRnZS52MS5Sb3VuZFN0YXJ0ZWRIABJUChF0YWtlX2FfMl9hbnN3ZXJlZBgCIAEoCzI3LmJyaWRnZW1hc3Rlci5nYW1lcy\
5vbGRfbG9uZG9uX2JyaWRnZS52MS5UYWtlQTJBbnN3ZXJlZEgAEkwKDGNhcmRzX2Nob3NlbhgDIAEoCzI0LmJyaWRnZW1hc3Rlci5nYW1lcy5vbGRfbG9uZG9uX2JyaWRnZS52MS5DYXJkc0Nob3NlbkgAElAKDm\
NhcmRzX3JldmVhbGVkGAQgASgLMjYuYnJpZGdlbWFzdGVyLmdhbWVzLm9sZF9sb25kb25fYnJpZGdlLnYxLkNhcmRzUmV2ZWFsZWRIABJMCgxjYXJkc19yYWlzZWQYBSABKAsyNC5icmlkZ2VtYXN0ZXIuZ2FtZX\
Mub2xkX2xvbmRvbl9icmlkZ2UudjEuQ2FyZHNSYWlzZWRIABJKCgtvcmRlcl9maXhlZBgGIAEoCzIzLmJyaWRnZW1hc3Rlci5nYW1lcy5vbGRfbG9uZG9uX2JyaWRnZS52MS5PcmRlckZpeGVkSAASTAoMdHVybl\
9zdGFydGVkGAcgASgLMjQuYnJpZGdlbWFzdGVyLmdhbWVzLm9sZF9sb25kb25fYnJpZGdlLnYxLlR1cm5TdGFydGVkSAASQQoGcGxhY2VkGAggASgLMi8uYnJpZGdlbWFzdGVyLmdhbWVzLm9sZF9sb25kb25fYn\
JpZGdlLnYxLlBsYWNlZEgAEkwKDHR1cm5fc2tpcHBlZBgJIAEoCzI0LmJyaWRnZW1hc3Rlci5nYW1lcy5vbGRfbG9uZG9uX2JyaWRnZS52MS5UdXJuU2tpcHBlZEgAEj8KBWJ1aWx0GAogASgLMi4uYnJpZGdlbW\
FzdGVyLmdhbWVzLm9sZF9sb25kb25fYnJpZGdlLnYxLkJ1aWx0SAASUAoOc3RhY2tfcmV2ZWFsZWQYCyABKAsyNi5icmlkZ2VtYXN0ZXIuZ2FtZXMub2xkX2xvbmRvbl9icmlkZ2UudjEuU3RhY2tSZXZlYWxlZE\
gAElIKD2NoYXBlbF9hZHZhbmNlZBgMIAEoCzI3LmJyaWRnZW1hc3Rlci5nYW1lcy5vbGRfbG9uZG9uX2JyaWRnZS52MS5DaGFwZWxBZHZhbmNlZEgAEk4KDWdhdGVfYWR2YW5jZWQYDSABKAsyNS5icmlkZ2VtYX\
N0ZXIuZ2FtZXMub2xkX2xvbmRvbl9icmlkZ2UudjEuR2F0ZUFkdmFuY2VkSAASSAoKdGlsZV90YWtlbhgOIAEoCzIyLmJyaWRnZW1hc3Rlci5nYW1lcy5vbGRfbG9uZG9uX2JyaWRnZS52MS5UaWxlVGFrZW5IAB\
JKCgtjYXJkc190YWtlbhgPIAEoCzIzLmJyaWRnZW1hc3Rlci5nYW1lcy5vbGRfbG9uZG9uX2JyaWRnZS52MS5DYXJkc1Rha2VuSAASVgoRaGFiZXJkYXNoZXJ5X3BhaWQYECABKAsyOS5icmlkZ2VtYXN0ZXIuZ2\
FtZXMub2xkX2xvbmRvbl9icmlkZ2UudjEuSGFiZXJkYXNoZXJ5UGFpZEgAEk4KDWNhcmRfcmVjYWxsZWQYESABKAsyNS5icmlkZ2VtYXN0ZXIuZ2FtZXMub2xkX2xvbmRvbl9icmlkZ2UudjEuQ2FyZFJlY2FsbG\
VkSAASRgoJdGlsZV91c2VkGBIgASgLMjEuYnJpZGdlbWFzdGVyLmdhbWVzLm9sZF9sb25kb25fYnJpZGdlLnYxLlRpbGVVc2VkSAASRgoJZmFjZV9wYWlkGBMgASgLMjEuYnJpZGdlbWFzdGVyLmdhbWVzLm9sZF\
9sb25kb25fYnJpZGdlLnYxLkZhY2VQYWlkSAASSgoLcm91bmRfZW5kZWQYFCABKAsyMy5icmlkZ2VtYXN0ZXIuZ2FtZXMub2xkX2xvbmRvbl9icmlkZ2UudjEuUm91bmRFbmRlZEgAEkgKCmdhbWVfZW5kZWQYFS\
ABKAsyMi5icmlkZ2VtYXN0ZXIuZ2FtZXMub2xkX2xvbmRvbl9icmlkZ2UudjEuR2FtZUVuZGVkSABCBwoFZXZlbnQiQgoMUm91bmRTdGFydGVkEg0KBXJvdW5kGAEgASgNEg4KBm1hcmtlchgCIAEoDRITCgtvcm\
llbnRhdGlvbhgDIAEoDSIsCg5UYWtlQTJBbnN3ZXJlZBIMCgRzZWF0GAEgASgNEgwKBHVzZWQYAiABKAgiGwoLQ2FyZHNDaG9zZW4SDAoEc2VhdBgBIAEoDSJiCg1DYXJkc1JldmVhbGVkEgwKBHNlYXQYASABKA\
0SQwoFY2FyZHMYAiABKAsyNC5icmlkZ2VtYXN0ZXIuZ2FtZXMub2xkX2xvbmRvbl9icmlkZ2UudjEuUGxheWVkQ2FyZHMiXAoLQ2FyZHNSYWlzZWQSDAoEc2VhdBgBIAEoDRI/CgZyYWlzZXMYAiABKAsyLy5icm\
lkZ2VtYXN0ZXIuZ2FtZXMub2xkX2xvbmRvbl9icmlkZ2UudjEuUmFpc2VzIkoKCk9yZGVyRml4ZWQSPAoFdHVybnMYASADKAsyLS5icmlkZ2VtYXN0ZXIuZ2FtZXMub2xkX2xvbmRvbl9icmlkZ2UudjEuVHVybi\
I3CgtUdXJuU3RhcnRlZBIMCgR0dXJuGAEgASgNEgwKBHNlYXQYAiABKA0SDAoEY2FyZBgDIAEoDSLzAQoGUGxhY2VkEgwKBHNlYXQYASABKA0SOwoEcGF3bhgCIAEoCzItLmJyaWRnZW1hc3Rlci5nYW1lcy5vbG\
RfbG9uZG9uX2JyaWRnZS52MS5QYXduEjwKBXN0YWNrGAMgASgOMi0uYnJpZGdlbWFzdGVyLmdhbWVzLm9sZF9sb25kb25fYnJpZGdlLnYxLktpbmQSDQoFbW9uZXkYBCABKBESDQoFc2hhcmUYBSABKAgSQgoHb3\
BlbmluZxgGIAEoDjIxLmJyaWRnZW1hc3Rlci5nYW1lcy5vbGRfbG9uZG9uX2JyaWRnZS52MS5UaWxlS2luZCIbCgtUdXJuU2tpcHBlZBIMCgRzZWF0GAEgASgNIr8BCgVCdWlsdBIMCgRzZWF0GAEgASgNEkMKCG\
J1aWxkaW5nGAIgASgLMjEuYnJpZGdlbWFzdGVyLmdhbWVzLm9sZF9sb25kb25fYnJpZGdlLnYxLkJ1aWxkaW5nEgwKBHNsb3QYAyABKA0SQwoIcmVwbGFjZWQYBCABKAsyMS5icmlkZ2VtYXN0ZXIuZ2FtZXMub2\
xkX2xvbmRvbl9icmlkZ2UudjEuQnVpbGRpbmcSEAoIc3RyZW5ndGgYBSABKA0ijQEKDVN0YWNrUmV2ZWFsZWQSPAoFc3RhY2sYASABKA4yLS5icmlkZ2VtYXN0ZXIuZ2FtZXMub2xkX2xvbmRvbl9icmlkZ2Uudj\
EuS2luZBI+CgN0b3AYAiABKAsyMS5icmlkZ2VtYXN0ZXIuZ2FtZXMub2xkX2xvbmRvbl9icmlkZ2UudjEuQnVpbGRpbmciUwoOQ2hhcGVsQWR2YW5jZWQSDAoEc2VhdBgBIAEoDRISCgpmcm9tX3NwYWNlGAIgAS\
gNEhAKCHRvX3NwYWNlGAMgASgNEg0KBW1vbmV5GAQgASgRImAKDEdhdGVBZHZhbmNlZBIMCgRzZWF0GAEgASgNEhIKCmZyb21fc3BhY2UYAiABKA0SEAoIdG9fc3BhY2UYAyABKA0SDQoFdGlsZXMYBCABKA0SDQ\
oFbW9uZXkYBSABKBEitAEKCVRpbGVUYWtlbhIMCgRzZWF0GAEgASgNEhMKC2JvbnVzX3N0YWNrGAIgASgNEj8KBHRpbGUYAyABKA4yMS5icmlkZ2VtYXN0ZXIuZ2FtZXMub2xkX2xvbmRvbl9icmlkZ2UudjEuVG\
lsZUtpbmQSQwoIcmV2ZWFsZWQYBCABKA4yMS5icmlkZ2VtYXN0ZXIuZ2FtZXMub2xkX2xvbmRvbl9icmlkZ2UudjEuVGlsZUtpbmQiKQoKQ2FyZHNUYWtlbhIMCgRzZWF0GAEgASgNEg0KBWNhcmRzGAIgAygNIi\
8KEEhhYmVyZGFzaGVyeVBhaWQSDAoEc2VhdBgBIAEoDRINCgVtb25leRgCIAEoESIqCgxDYXJkUmVjYWxsZWQSDAoEc2VhdBgBIAEoDRIMCgRjYXJkGAIgASgNIlkKCFRpbGVVc2VkEgwKBHNlYXQYASABKA0SPw\
oEdGlsZRgCIAEoDjIxLmJyaWRnZW1hc3Rlci5nYW1lcy5vbGRfbG9uZG9uX2JyaWRnZS52MS5UaWxlS2luZCJkCghGYWNlUGFpZBIMCgRzZWF0GAEgASgNEjsKBGZhY2UYAiABKA4yLS5icmlkZ2VtYXN0ZXIuZ2\
FtZXMub2xkX2xvbmRvbl9icmlkZ2UudjEuRmFjZRINCgVtb25leRgDIAEoESIbCgpSb3VuZEVuZGVkEg0KBXJvdW5kGAEgASgNIhoKCUdhbWVFbmRlZBINCgVlYXJseRgBIAEoCGIGcHJvdG8z",[Re]);var Wr=S("CjlicmlkZ2VtYXN0ZXIvZ2FtZXMvb2xkX2xvbmRvbl9icmlkZ2UvdjEvb2JzZXJ2YXRpb24ucHJvdG8SJ2JyaWRnZW1hc3Rlci5nYW1lcy5vbGRfbG9uZG9uX2JyaWRnZS52MSKeBwoLT2JzZXJ2YX\
Rpb24SGAoLdmlld2VyX3NlYXQYASABKA1IAYgBARI9CgVmYWNlcxgCIAEoCzIuLmJyaWRnZW1hc3Rlci5nYW1lcy5vbGRfbG9uZG9uX2JyaWRnZS52MS5GYWNlcxIOCgZyb3VuZHMYAyABKA0SDQoFcm91bmQYBC\
ABKA0SDgoGbWFya2VyGAUgASgNEhMKC29yaWVudGF0aW9uGAYgASgNEkgKCHRha2VfYV8yGAcgASgLMjQuYnJpZGdlbWFzdGVyLmdhbWVzLm9sZF9sb25kb25fYnJpZGdlLnYxLlRha2VBMlBoYXNlSAASUQoMY2\
hvb3NlX2NhcmRzGAggASgLMjkuYnJpZGdlbWFzdGVyLmdhbWVzLm9sZF9sb25kb25fYnJpZGdlLnYxLkNob29zZUNhcmRzUGhhc2VIABJPCgtyYWlzZV9jYXJkcxgJIAEoCzI4LmJyaWRnZW1hc3Rlci5nYW1lcy\
5vbGRfbG9uZG9uX2JyaWRnZS52MS5SYWlzZUNhcmRzUGhhc2VIABJCCgR0dXJuGAogASgLMjIuYnJpZGdlbWFzdGVyLmdhbWVzLm9sZF9sb25kb25fYnJpZGdlLnYxLlR1cm5QaGFzZUgAEkIKBG92ZXIYCyABKA\
syMi5icmlkZ2VtYXN0ZXIuZ2FtZXMub2xkX2xvbmRvbl9icmlkZ2UudjEuT3ZlclBoYXNlSAASQgoGc3RhY2tzGAwgAygLMjIuYnJpZGdlbWFzdGVyLmdhbWVzLm9sZF9sb25kb25fYnJpZGdlLnYxLlN0YWNrVm\
lldxIWCg51bnNlZW5fbWFya2VycxgNIAMoDRIOCgZzdXBwbHkYDiADKA0STQoMYm9udXNfc3RhY2tzGA8gAygLMjcuYnJpZGdlbWFzdGVyLmdhbWVzLm9sZF9sb25kb25fYnJpZGdlLnYxLkJvbnVzU3RhY2tWaW\
V3EkAKBXNlYXRzGBAgAygLMjEuYnJpZGdlbWFzdGVyLmdhbWVzLm9sZF9sb25kb25fYnJpZGdlLnYxLlNlYXRWaWV3EhQKDGNoYXBlbF9vcmRlchgRIAMoDRISCgpnYXRlX29yZGVyGBIgAygNEjwKBXR1cm5zGB\
MgAygLMi0uYnJpZGdlbWFzdGVyLmdhbWVzLm9sZF9sb25kb25fYnJpZGdlLnYxLlR1cm5CBwoFcGhhc2VCDgoMX3ZpZXdlcl9zZWF0IhsKC1Rha2VBMlBoYXNlEgwKBHNlYXQYASABKA0iEgoQQ2hvb3NlQ2FyZH\
NQaGFzZSIfCg9SYWlzZUNhcmRzUGhhc2USDAoEc2VhdBgBIAEoDSKiAwoJVHVyblBoYXNlEgwKBHR1cm4YASABKA0SEAoIcmVjYWxsZWQYAiABKAgSQwoFcGxhY2UYAyABKAsyMi5icmlkZ2VtYXN0ZXIuZ2FtZX\
Mub2xkX2xvbmRvbl9icmlkZ2UudjEuUGxhY2VTdGVwSAASRwoHcmVwbGFjZRgEIAEoCzI0LmJyaWRnZW1hc3Rlci5nYW1lcy5vbGRfbG9uZG9uX2JyaWRnZS52MS5SZXBsYWNlU3RlcEgAEkoKCXRha2VfdGlsZR\
gFIAEoCzI1LmJyaWRnZW1hc3Rlci5nYW1lcy5vbGRfbG9uZG9uX2JyaWRnZS52MS5UYWtlVGlsZVN0ZXBIABJMCgp0YWtlX2NhcmRzGAYgASgLMjYuYnJpZGdlbWFzdGVyLmdhbWVzLm9sZF9sb25kb25fYnJpZG\
dlLnYxLlRha2VDYXJkc1N0ZXBIABJFCgZmaW5pc2gYByABKAsyMy5icmlkZ2VtYXN0ZXIuZ2FtZXMub2xkX2xvbmRvbl9icmlkZ2UudjEuRmluaXNoU3RlcEgAQgYKBHN0ZXAiCwoJUGxhY2VTdGVwIlIKC1JlcG\
xhY2VTdGVwEkMKCGJ1aWxkaW5nGAEgASgLMjEuYnJpZGdlbWFzdGVyLmdhbWVzLm9sZF9sb25kb25fYnJpZGdlLnYxLkJ1aWxkaW5nIiwKDFRha2VUaWxlU3RlcBIMCgRvd2VkGAEgASgNEg4KBnBsYWNlZBgCIA\
EoCCIhCg1UYWtlQ2FyZHNTdGVwEhAKCHN0cmVuZ3RoGAEgASgNIgwKCkZpbmlzaFN0ZXAiCwoJT3ZlclBoYXNlIuUBCglTdGFja1ZpZXcSOwoEa2luZBgBIAEoDjItLmJyaWRnZW1hc3Rlci5nYW1lcy5vbGRfbG\
9uZG9uX2JyaWRnZS52MS5LaW5kEj4KA3RvcBgCIAEoCzIxLmJyaWRnZW1hc3Rlci5nYW1lcy5vbGRfbG9uZG9uX2JyaWRnZS52MS5CdWlsZGluZxIWCg51bnNlZW5fbnVtYmVycxgDIAMoDRJDCgx1bnNlZW5fY2\
9hdHMYBCADKA4yLS5icmlkZ2VtYXN0ZXIuZ2FtZXMub2xkX2xvbmRvbl9icmlkZ2UudjEuQ29hdCKXAQoOQm9udXNTdGFja1ZpZXcSQgoHZmFjZV91cBgBIAEoDjIxLmJyaWRnZW1hc3Rlci5nYW1lcy5vbGRfbG\
9uZG9uX2JyaWRnZS52MS5UaWxlS2luZBJBCgZ1bnNlZW4YAiADKA4yMS5icmlkZ2VtYXN0ZXIuZ2FtZXMub2xkX2xvbmRvbl9icmlkZ2UudjEuVGlsZUtpbmQikgQKCFNlYXRWaWV3Eg0KBW1vbmV5GAEgASgREg\
wKBGhhbmQYAiADKA0SQQoGYnJpZGdlGAMgAygLMjEuYnJpZGdlbWFzdGVyLmdhbWVzLm9sZF9sb25kb25fYnJpZGdlLnYxLkJ1aWxkaW5nEhcKD2NoYXBlbF9wb3NpdGlvbhgEIAEoDRIVCg1nYXRlX3Bvc2l0aW\
9uGAUgASgNEkAKBXRpbGVzGAYgAygOMjEuYnJpZGdlbWFzdGVyLmdhbWVzLm9sZF9sb25kb25fYnJpZGdlLnYxLlRpbGVLaW5kEkYKC2ZyZXNoX3RpbGVzGAcgAygOMjEuYnJpZGdlbWFzdGVyLmdhbWVzLm9sZF\
9sb25kb25fYnJpZGdlLnYxLlRpbGVLaW5kEjsKBHBhd24YCCABKAsyLS5icmlkZ2VtYXN0ZXIuZ2FtZXMub2xkX2xvbmRvbl9icmlkZ2UudjEuUGF3bhISCgpoYXNfY2hvc2VuGAkgASgIEkQKBnBsYXllZBgKIA\
EoCzI0LmJyaWRnZW1hc3Rlci5nYW1lcy5vbGRfbG9uZG9uX2JyaWRnZS52MS5QbGF5ZWRDYXJkcxI/CgZyYWlzZXMYCyABKAsyLy5icmlkZ2VtYXN0ZXIuZ2FtZXMub2xkX2xvbmRvbl9icmlkZ2UudjEuUmFpc2\
VzEhQKDGxvd2VzdF9idWlsdBgMIAEoDWIGcHJvdG8z",[Re]);var Vl=S("CjVicmlkZ2VtYXN0ZXIvZ2FtZXMvb2xkX2xvbmRvbl9icmlkZ2UvdjEvcmVxdWVzdC5wcm90bxInYnJpZGdlbWFzdGVyLmdhbWVzLm9sZF9sb25kb25fYnJpZGdlLnYxIuABCgdSZXF1ZXN0EkkKC2\
9ic2VydmF0aW9uGAEgASgLMjQuYnJpZGdlbWFzdGVyLmdhbWVzLm9sZF9sb25kb25fYnJpZGdlLnYxLk9ic2VydmF0aW9uEkoKD2xlZ2FsX2RlY2lzaW9ucxgCIAMoCzIxLmJyaWRnZW1hc3Rlci5nYW1lcy5vbG\
RfbG9uZG9uX2JyaWRnZS52MS5EZWNpc2lvbhI+CgZldmVudHMYAyADKAsyLi5icmlkZ2VtYXN0ZXIuZ2FtZXMub2xkX2xvbmRvbl9icmlkZ2UudjEuRXZlbnRiBnByb3RvMw",[Fr,Yr,Wr]);var vl=S("CjNicmlkZ2VtYXN0ZXIvZ2FtZXMvb2xkX2xvbmRvbl9icmlkZ2UvdjEvc2V0dXAucHJvdG8SJ2JyaWRnZW1hc3Rlci5nYW1lcy5vbGRfbG9uZG9uX2JyaWRnZS52MSKPAgoFU2V0dXASEwoLb3JpZW\
50YXRpb24YASABKA0SRgoGc3RhY2tzGAIgAygLMjYuYnJpZGdlbWFzdGVyLmdhbWVzLm9sZF9sb25kb25fYnJpZGdlLnYxLkJ1aWxkaW5nT3JkZXISDwoHbWFya2VycxgDIAMoDRJJCgxib251c19zdGFja3MYBC\
ADKAsyMy5icmlkZ2VtYXN0ZXIuZ2FtZXMub2xkX2xvbmRvbl9icmlkZ2UudjEuQm9udXNUaWxlcxIOCgZzdGFpcnMYBSADKA0SPQoFZmFjZXMYBiABKAsyLi5icmlkZ2VtYXN0ZXIuZ2FtZXMub2xkX2xvbmRvbl\
9icmlkZ2UudjEuRmFjZXMiIgoNQnVpbGRpbmdPcmRlchIRCglidWlsZGluZ3MYASADKA1iBnByb3RvMw",[Re,Mr]);var Ae=S("ChpicmlkZ2VtYXN0ZXIvdjEvZ2FtZS5wcm90bxIPYnJpZGdlbWFzdGVyLnYxIrACCgpHYW1lQ29uZmlnEkwKEW9sZF9sb25kb25fYnJpZGdlGAEgASgLMi8uYnJpZGdlbWFzdGVyLmdhbWVzLm9sZF\
9sb25kb25fYnJpZGdlLnYxLkNvbmZpZ0gAEjoKCGFsaGFtYnJhGAIgASgLMiYuYnJpZGdlbWFzdGVyLmdhbWVzLmFsaGFtYnJhLnYxLkNvbmZpZ0gAEk4KEmJyaWRnZXNfdG9fbm93aGVyZRgDIAEoCzIwLmJyaW\
RnZW1hc3Rlci5nYW1lcy5icmlkZ2VzX3RvX25vd2hlcmUudjEuQ29uZmlnSAASQAoLY2FyY2Fzc29ubmUYBCABKAsyKS5icmlkZ2VtYXN0ZXIuZ2FtZXMuY2FyY2Fzc29ubmUudjEuQ29uZmlnSABCBgoEZ2FtZS\
KrAgoJR2FtZVNldHVwEksKEW9sZF9sb25kb25fYnJpZGdlGAEgASgLMi4uYnJpZGdlbWFzdGVyLmdhbWVzLm9sZF9sb25kb25fYnJpZGdlLnYxLlNldHVwSAASOQoIYWxoYW1icmEYAiABKAsyJS5icmlkZ2VtYX\
N0ZXIuZ2FtZXMuYWxoYW1icmEudjEuU2V0dXBIABJNChJicmlkZ2VzX3RvX25vd2hlcmUYAyABKAsyLy5icmlkZ2VtYXN0ZXIuZ2FtZXMuYnJpZGdlc190b19ub3doZXJlLnYxLlNldHVwSAASPwoLY2FyY2Fzc2\
9ubmUYBCABKAsyKC5icmlkZ2VtYXN0ZXIuZ2FtZXMuY2FyY2Fzc29ubmUudjEuU2V0dXBIAEIGCgRnYW1lIskCCg9HYW1lT2JzZXJ2YXRpb24SUQoRb2xkX2xvbmRvbl9icmlkZ2UYASABKAsyNC5icmlkZ2VtYX\
N0ZXIuZ2FtZXMub2xkX2xvbmRvbl9icmlkZ2UudjEuT2JzZXJ2YXRpb25IABI/CghhbGhhbWJyYRgCIAEoCzIrLmJyaWRnZW1hc3Rlci5nYW1lcy5hbGhhbWJyYS52MS5PYnNlcnZhdGlvbkgAElMKEmJyaWRnZX\
NfdG9fbm93aGVyZRgDIAEoCzI1LmJyaWRnZW1hc3Rlci5nYW1lcy5icmlkZ2VzX3RvX25vd2hlcmUudjEuT2JzZXJ2YXRpb25IABJFCgtjYXJjYXNzb25uZRgEIAEoCzIuLmJyaWRnZW1hc3Rlci5nYW1lcy5jYX\
JjYXNzb25uZS52MS5PYnNlcnZhdGlvbkgAQgYKBGdhbWUitQIKC0dhbWVSZXF1ZXN0Ek0KEW9sZF9sb25kb25fYnJpZGdlGAEgASgLMjAuYnJpZGdlbWFzdGVyLmdhbWVzLm9sZF9sb25kb25fYnJpZGdlLnYxLl\
JlcXVlc3RIABI7CghhbGhhbWJyYRgCIAEoCzInLmJyaWRnZW1hc3Rlci5nYW1lcy5hbGhhbWJyYS52MS5SZXF1ZXN0SAASTwoSYnJpZGdlc190b19ub3doZXJlGAMgASgLMjEuYnJpZGdlbWFzdGVyLmdhbWVzLm\
JyaWRnZXNfdG9fbm93aGVyZS52MS5SZXF1ZXN0SAASQQoLY2FyY2Fzc29ubmUYBCABKAsyKi5icmlkZ2VtYXN0ZXIuZ2FtZXMuY2FyY2Fzc29ubmUudjEuUmVxdWVzdEgAQgYKBGdhbWUiugIKDEdhbWVEZWNpc2\
lvbhJOChFvbGRfbG9uZG9uX2JyaWRnZRgBIAEoCzIxLmJyaWRnZW1hc3Rlci5nYW1lcy5vbGRfbG9uZG9uX2JyaWRnZS52MS5EZWNpc2lvbkgAEjwKCGFsaGFtYnJhGAIgASgLMiguYnJpZGdlbWFzdGVyLmdhbW\
VzLmFsaGFtYnJhLnYxLkRlY2lzaW9uSAASUAoSYnJpZGdlc190b19ub3doZXJlGAMgASgLMjIuYnJpZGdlbWFzdGVyLmdhbWVzLmJyaWRnZXNfdG9fbm93aGVyZS52MS5EZWNpc2lvbkgAEkIKC2NhcmNhc3Nvbm\
5lGAQgASgLMisuYnJpZGdlbWFzdGVyLmdhbWVzLmNhcmNhc3Nvbm5lLnYxLkRlY2lzaW9uSABCBgoEZ2FtZSKrAgoJR2FtZUV2ZW50EksKEW9sZF9sb25kb25fYnJpZGdlGAEgASgLMi4uYnJpZGdlbWFzdGVyLm\
dhbWVzLm9sZF9sb25kb25fYnJpZGdlLnYxLkV2ZW50SAASOQoIYWxoYW1icmEYAiABKAsyJS5icmlkZ2VtYXN0ZXIuZ2FtZXMuYWxoYW1icmEudjEuRXZlbnRIABJNChJicmlkZ2VzX3RvX25vd2hlcmUYAyABKA\
syLy5icmlkZ2VtYXN0ZXIuZ2FtZXMuYnJpZGdlc190b19ub3doZXJlLnYxLkV2ZW50SAASPwoLY2FyY2Fzc29ubmUYBCABKAsyKC5icmlkZ2VtYXN0ZXIuZ2FtZXMuY2FyY2Fzc29ubmUudjEuRXZlbnRIAEIGCg\
RnYW1lIlEKCkdhbWVDaGFuY2USOwoIYWxoYW1icmEYAiABKAsyJy5icmlkZ2VtYXN0ZXIuZ2FtZXMuYWxoYW1icmEudjEuU2h1ZmZsZUgAQgYKBGdhbWViBnByb3RvMw",[gl,fl,Sr,Er,Rr,hl,bl,yl,Vr,vr,
Gr,Sl,El,Rl,Nt,Ir,Nr,Al,Zl,Mr,Fr,Yr,Wr,Vl,vl]);var Be=S("ChticmlkZ2VtYXN0ZXIvdjEvbWF0Y2gucHJvdG8SD2JyaWRnZW1hc3Rlci52MSKXAwoLTWF0Y2hDb25maWcSKQoEZ2FtZRgBIAEoCzIbLmJyaWRnZW1hc3Rlci52MS5HYW1lQ29uZmlnEg0KBXNlYX\
RzGAIgASgNEhEKBHNlZWQYAyABKAlIAIgBARIqCgVjbG9jaxgEIAEoCzIbLmJyaWRnZW1hc3Rlci52MS5DbG9ja1J1bGVzEiwKBmZhdWx0cxgFIAEoCzIcLmJyaWRnZW1hc3Rlci52MS5GYXVsdFBvbGljeRIyCg\
xob3VzZV9wb2xpY3kYBiABKA4yHC5icmlkZ2VtYXN0ZXIudjEuSG91c2VQb2xpY3kSEgoKYXNrX2ZvcmNlZBgHIAEoCBIvCgtzZWF0X2Nsb2NrcxgIIAMoCzIaLmJyaWRnZW1hc3Rlci52MS5TZWF0Q2xvY2sSKg\
oFZ3JvdXAYCSABKAsyGy5icmlkZ2VtYXN0ZXIudjEuTWF0Y2hHcm91cBIzCgpzcGVjdGF0b3JzGAogASgLMh8uYnJpZGdlbWFzdGVyLnYxLlNwZWN0YXRvclJ1bGVzQgcKBV9zZWVkIlkKCVNlYXRDbG9jaxIMCg\
RzZWF0GAEgASgNEjIKDHRpbWVfY29udHJvbBgDIAEoCzIcLmJyaWRnZW1hc3Rlci52MS5UaW1lQ29udHJvbEoECAIQA1IEb2RkcyJxCgpNYXRjaEdyb3VwEhAKCGdyb3VwX2lkGAEgASgJEg4KBm51bWJlchgCIA\
EoDRIPCgdtYXRjaGVzGAMgASgNEjAKC3NlZWRfcmV2ZWFsGAQgASgOMhsuYnJpZGdlbWFzdGVyLnYxLlNlZWRSZXZlYWwiVAoOU3BlY3RhdG9yUnVsZXMSEAoIZGVsYXlfbXMYASABKA0SMAoGYWNjZXNzGAIgAS\
gOMiAuYnJpZGdlbWFzdGVyLnYxLlNwZWN0YXRvckFjY2VzcyKRAQoIU2VhdEluZm8SDAoEc2VhdBgBIAEoDRIpCgVzdGF0ZRgCIAEoDjIaLmJyaWRnZW1hc3Rlci52MS5TZWF0U3RhdGUSEAoIYm90X25hbWUYAy\
ABKAkSEwoLYm90X3ZlcnNpb24YBCABKAkSDwoHc3RyaWtlcxgFIAEoDRIUCgxyZXNlcnZlZF9mb3IYBiABKAki8wQKCU1hdGNoSW5mbxIQCghtYXRjaF9pZBgBIAEoCRIqCgVzdGF0ZRgCIAEoDjIbLmJyaWRnZW\
1hc3Rlci52MS5NYXRjaFN0YXRlEiwKBmNvbmZpZxgDIAEoCzIcLmJyaWRnZW1hc3Rlci52MS5NYXRjaENvbmZpZxIoCgVzZWF0cxgEIAMoCzIZLmJyaWRnZW1hc3Rlci52MS5TZWF0SW5mbxIRCglkZWNpc2lvbn\
MYBSABKA0SLAoGcmVzdWx0GAYgASgLMhwuYnJpZGdlbWFzdGVyLnYxLk1hdGNoUmVzdWx0EhcKD3NlZWRfY29tbWl0bWVudBgHIAEoCRIRCglzZWVkX3NhbHQYCCABKAkSFQoNcnVsZXNfdmVyc2lvbhgJIAEoDR\
I2CgZsYWJlbHMYCiADKAsyJi5icmlkZ2VtYXN0ZXIudjEuTWF0Y2hJbmZvLkxhYmVsc0VudHJ5Eg0KBW1ha2VyGAsgASgJEhcKD2NyZWF0ZWRfdW5peF9tcxgMIAEoBBIXCg9zdGFydGVkX3VuaXhfbXMYDSABKA\
QSFQoNZW5kZWRfdW5peF9tcxgOIAEoBBIzCgxjYW5jZWxsYXRpb24YDyABKAsyHS5icmlkZ2VtYXN0ZXIudjEuQ2FuY2VsbGF0aW9uEi0KCWFubnVsbWVudBgQIAEoCzIaLmJyaWRnZW1hc3Rlci52MS5Bbm51bG\
1lbnQSKQoEZm9yaxgRIAEoCzIbLmJyaWRnZW1hc3Rlci52MS5Gb3JrT3JpZ2luGi0KC0xhYmVsc0VudHJ5EgsKA2tleRgBIAEoCRINCgV2YWx1ZRgCIAEoCToCOAEiNAoMQ2FuY2VsbGF0aW9uEg4KBnJlYXNvbh\
gBIAEoCRIUCgxjYW5jZWxsZWRfYnkYAiABKAkiawoJQW5udWxtZW50EjAKBnJlYXNvbhgBIAEoDjIgLmJyaWRnZW1hc3Rlci52MS5Bbm51bG1lbnRSZWFzb24SDgoGZGV0YWlsGAIgASgJEhwKFHJlcGxhY2VkX2\
J5X21hdGNoX2lkGAMgASgJInUKCkZvcmtPcmlnaW4SEAoIbWF0Y2hfaWQYASABKAkSEQoJZGVjaXNpb25zGAIgASgNEisKBmNoYW5jZRgDIAEoDjIbLmJyaWRnZW1hc3Rlci52MS5Gb3JrQ2hhbmNlEhUKDWtub3\
dpbmdfc2VhdHMYBCADKA0ixwEKC01hdGNoUmVzdWx0EhAKCG1hdGNoX2lkGAEgASgJEioKBXNlYXRzGAIgAygLMhsuYnJpZGdlbWFzdGVyLnYxLlNlYXRSZXN1bHQSEQoJZGVjaXNpb25zGAMgASgNEhMKC2R1cm\
F0aW9uX21zGAQgASgEEhYKDnJlZmVyZWVfbGFnX3VzGAUgASgEEh4KFmxvbmdlc3RfcmVmZXJlZV9sYWdfdXMYBiABKAQSGgoSc3BvaWxlZF9ieV9yZWZlcmVlGAcgASgIIvMCCgpTZWF0UmVzdWx0EgwKBHNlYX\
QYASABKA0SDQoFcGxhY2UYAiABKA0SFgoOcGxhY2VfYnlfc2NvcmUYAyABKA0SDQoFc2NvcmUYBCABKBESLQoJYnJlYWtkb3duGAUgAygLMhouYnJpZGdlbWFzdGVyLnYxLlNjb3JlTGluZRIQCghib3RfbmFtZR\
gGIAEoCRITCgtib3RfdmVyc2lvbhgHIAEoCRItCgdmb3JmZWl0GAggASgOMhwuYnJpZGdlbWFzdGVyLnYxLkZhdWx0UmVhc29uEiYKBmZhdWx0cxgJIAMoCzIWLmJyaWRnZW1hc3Rlci52MS5GYXVsdBITCgtmYX\
VsdF9jb3VudBgKIAEoDRIsCgljbG9ja191c2UYCyABKAsyGS5icmlkZ2VtYXN0ZXIudjEuQ2xvY2tVc2USGAoQZm9yY2VkX2RlY2lzaW9ucxgMIAEoDRIXCg9ob3VzZV9kZWNpc2lvbnMYDSABKA0iLQoJU2Nvcm\
VMaW5lEhAKCGNhdGVnb3J5GAEgASgJEg4KBnBvaW50cxgCIAEoESphCgpTZWVkUmV2ZWFsEhsKF1NFRURfUkVWRUFMX1VOU1BFQ0lGSUVEEAASGgoWU0VFRF9SRVZFQUxfV0lUSF9NQVRDSBABEhoKFlNFRURfUk\
VWRUFMX1dJVEhfR1JPVVAQAiqMAQoPU3BlY3RhdG9yQWNjZXNzEiAKHFNQRUNUQVRPUl9BQ0NFU1NfVU5TUEVDSUZJRUQQABIcChhTUEVDVEFUT1JfQUNDRVNTX1BBUlRJRVMQARIcChhTUEVDVEFUT1JfQUNDRV\
NTX1JFQURFUlMQAhIbChdTUEVDVEFUT1JfQUNDRVNTX1BVQkxJQxADKo0BCgpNYXRjaFN0YXRlEhsKF01BVENIX1NUQVRFX1VOU1BFQ0lGSUVEEAASFwoTTUFUQ0hfU1RBVEVfV0FJVElORxABEhcKE01BVENIX1\
NUQVRFX1JVTk5JTkcQAhIVChFNQVRDSF9TVEFURV9FTkRFRBADEhkKFU1BVENIX1NUQVRFX0NBTkNFTExFRBAEKokBCglTZWF0U3RhdGUSGgoWU0VBVF9TVEFURV9VTlNQRUNJRklFRBAAEhUKEVNFQVRfU1RBVE\
VfVkFDQU5UEAESGAoUU0VBVF9TVEFURV9DT05ORUNURUQQAhIVChFTRUFUX1NUQVRFX1BBVVNFRBADEhgKFFNFQVRfU1RBVEVfRk9SRkVJVEVEEAQqmAEKD0FubnVsbWVudFJlYXNvbhIgChxBTk5VTE1FTlRfUk\
VBU09OX1VOU1BFQ0lGSUVEEAASIAocQU5OVUxNRU5UX1JFQVNPTl9SRUZFUkVFX0xBRxABEiEKHUFOTlVMTUVOVF9SRUFTT05fU0VSVkVSX0NSQVNIEAISHgoaQU5OVUxNRU5UX1JFQVNPTl9PUkdBTklaRVIQAy\
pXCgpGb3JrQ2hhbmNlEhsKF0ZPUktfQ0hBTkNFX1VOU1BFQ0lGSUVEEAASFAoQRk9SS19DSEFOQ0VfS0VFUBABEhYKEkZPUktfQ0hBTkNFX1JFRFJBVxACYgZwcm90bzM",[Le,be,Ae]);var Gl=S("ChxicmlkZ2VtYXN0ZXIvdjEvcmF0aW5nLnByb3RvEg9icmlkZ2VtYXN0ZXIudjEihAEKBlJhdGluZxILCgNlbG8YASABKAESDwoHZWxvX2xvdxgCIAEoARIQCghlbG9faGlnaBgDIAEoARISCgpjb2\
5maWRlbmNlGAQgASgBEhEKCXJhbmtfYmVzdBgFIAEoDRISCgpyYW5rX3dvcnN0GAYgASgNEg8KB21hdGNoZXMYByABKA0iWwoKSGVhZFRvSGVhZBIPCgdtYXRjaGVzGAEgASgNEhMKC2ZpcnN0X2FoZWFkGAIgAS\
gNEgwKBHRpZXMYAyABKA0SGQoRbWVhbl9zY29yZV9tYXJnaW4YBCABKAFiBnByb3RvMw");var ag=S("CiRicmlkZ2VtYXN0ZXIvdjEvbGFkZGVyX3NlcnZpY2UucHJvdG8SD2JyaWRnZW1hc3Rlci52MSKqBAoGTGFkZGVyEhEKCWxhZGRlcl9pZBgBIAEoCRIsCgZjb25maWcYAiABKAsyHC5icmlkZ2VtYX\
N0ZXIudjEuTWF0Y2hDb25maWcSFQoNcnVsZXNfdmVyc2lvbhgDIAEoDRIRCglrZXlfbmFtZXMYBCADKAkSEwoLbWF4X21hdGNoZXMYBSABKA0SEgoKaG91c2VfYm90cxgGIAMoCRIUCgxvd25lcnNfYXBhcnQYBy\
ABKAgSEQoJbWF4X3Nsb3RzGAggASgNEi8KB3JlcGxheXMYCSABKA4yHi5icmlkZ2VtYXN0ZXIudjEuTGFkZGVyUmVwbGF5cxItCgdjbG9zaW5nGAogASgLMhwuYnJpZGdlbWFzdGVyLnYxLkNsb3NpbmdSdWxlEi\
sKBXN0YXRlGAsgASgOMhwuYnJpZGdlbWFzdGVyLnYxLkxhZGRlclN0YXRlEhcKD2NyZWF0ZWRfdW5peF9tcxgMIAEoBBIWCg5mcm96ZW5fdW5peF9tcxgNIAEoBBIWCg5jbG9zZWRfdW5peF9tcxgOIAEoBBIPCg\
dtYXRjaGVzGA8gASgEEhgKEGFubnVsbGVkX21hdGNoZXMYECABKAQSDwoHc2V0dGxlZBgRIAEoCBI0Cg1yYXRpbmdfbWV0aG9kGBIgASgOMh0uYnJpZGdlbWFzdGVyLnYxLlJhdGluZ01ldGhvZBIbChNvcmdhbm\
lzZXJfa2V5X25hbWVzGBMgAygJIlMKC0Nsb3NpbmdSdWxlEhMKC3NldHRsZWRfdG9wGAEgASgNEhIKCmNvbmZpZGVuY2UYAiABKAESGwoTbWF4X21hdGNoZXNfcGVyX2JvdBgDIAEoDSLDAgoIU3RhbmRpbmcSEA\
oIYm90X25hbWUYASABKAkSEwoLYm90X3ZlcnNpb24YAiABKAkSDQoFb3duZXIYAyABKAkSJwoGcmF0aW5nGAQgASgLMhcuYnJpZGdlbWFzdGVyLnYxLlJhdGluZxIvCgVzdGF0ZRgFIAEoDjIgLmJyaWRnZW1hc3\
Rlci52MS5BdHRlbmRhbmNlU3RhdGUSDgoGZGV0YWlsGAYgASgJEg8KB2NoYW5nZWQYByABKAgSGAoQYW5udWxsZWRfbWF0Y2hlcxgIIAEoDRIUCgxpc19ob3VzZV9ib3QYCSABKAgSFAoMZGlzcXVhbGlmaWVkGA\
ogASgIEi8KB2NvbmR1Y3QYCyABKAsyHi5icmlkZ2VtYXN0ZXIudjEuTGFkZGVyQ29uZHVjdBIPCgdyZW1vdmVkGAwgASgIInwKDUxhZGRlckNvbmR1Y3QSDgoGZmF1bHRzGAEgASgNEi8KCGZvcmZlaXRzGAIgAy\
gLMh0uYnJpZGdlbWFzdGVyLnYxLkZvcmZlaXRDb3VudBIVCg10aW1lZF9tYXRjaGVzGAMgASgNEhMKC3RoaW5raW5nX21zGAQgASgEIksKDEZvcmZlaXRDb3VudBIsCgZyZWFzb24YASABKA4yHC5icmlkZ2VtYX\
N0ZXIudjEuRmF1bHRSZWFzb24SDQoFY291bnQYAiABKA0iqgMKDExhZGRlckFjdGlvbhIOCgZudW1iZXIYASABKA0SEgoKYXRfdW5peF9tcxgCIAEoBBIQCghrZXlfbmFtZRgDIAEoCRIOCgZyZWFzb24YBCABKA\
kSEwoLcmV2ZXJ0ZWRfYnkYBSABKA0SLgoFYmVuY2gYBiABKAsyHS5icmlkZ2VtYXN0ZXIudjEuTGFkZGVyQm90UmVmSAASHQoTZGlzcXVhbGlmeV9ib3RfbmFtZRgHIAEoCUgAEhkKD3JlbW92ZV9ib3RfbmFtZR\
gIIAEoCUgAEhgKDmFubnVsX21hdGNoX2lkGAkgASgJSAASNgoNYW5udWxfcmVzdWx0cxgKIAEoCzIdLmJyaWRnZW1hc3Rlci52MS5MYWRkZXJCb3RSZWZIABIvCgRlZGl0GAsgASgLMh8uYnJpZGdlbWFzdGVyLn\
YxLkxhZGRlclNldHRpbmdzSAASLwoGcmVvcGVuGAwgASgLMh0uYnJpZGdlbWFzdGVyLnYxLlJlb3BlbkxhZGRlckgAEhcKDXJldmVydF9udW1iZXIYDSABKA1IAEIICgZhY3Rpb24ipAIKDkxhZGRlclNldHRpbm\
dzEjEKCWtleV9uYW1lcxgBIAEoCzIZLmJyaWRnZW1hc3Rlci52MS5OYW1lTGlzdEgAiAEBEjIKCmhvdXNlX2JvdHMYAiABKAsyGS5icmlkZ2VtYXN0ZXIudjEuTmFtZUxpc3RIAYgBARIYCgttYXhfbWF0Y2hlcx\
gDIAEoDUgCiAEBEhYKCW1heF9zbG90cxgEIAEoDUgDiAEBEjIKB2Nsb3NpbmcYBSABKAsyHC5icmlkZ2VtYXN0ZXIudjEuQ2xvc2luZ1J1bGVIBIgBAUIMCgpfa2V5X25hbWVzQg0KC19ob3VzZV9ib3RzQg4KDF\
9tYXhfbWF0Y2hlc0IMCgpfbWF4X3Nsb3RzQgoKCF9jbG9zaW5nIhkKCE5hbWVMaXN0Eg0KBW5hbWVzGAEgAygJIg4KDFJlb3BlbkxhZGRlciJKCgtSYXRpbmdQb2ludBISCgphdF91bml4X21zGAEgASgEEicKBn\
JhdGluZxgCIAEoCzIXLmJyaWRnZW1hc3Rlci52MS5SYXRpbmcihAEKDUxhZGRlclZlcnNpb24SKwoIc3RhbmRpbmcYASABKAsyGS5icmlkZ2VtYXN0ZXIudjEuU3RhbmRpbmcSLQoHaGlzdG9yeRgCIAMoCzIcLm\
JyaWRnZW1hc3Rlci52MS5SYXRpbmdQb2ludBIXCg9lbnRlcmVkX3VuaXhfbXMYAyABKAQiNQoMTGFkZGVyQm90UmVmEhAKCGJvdF9uYW1lGAEgASgJEhMKC2JvdF92ZXJzaW9uGAIgASgJIj4KE0NyZWF0ZUxhZG\
RlclJlcXVlc3QSJwoGbGFkZGVyGAEgASgLMhcuYnJpZGdlbWFzdGVyLnYxLkxhZGRlciI/ChRDcmVhdGVMYWRkZXJSZXNwb25zZRInCgZsYWRkZXIYASABKAsyFy5icmlkZ2VtYXN0ZXIudjEuTGFkZGVyIlYKFE\
FkdmFuY2VMYWRkZXJSZXF1ZXN0EhEKCWxhZGRlcl9pZBgBIAEoCRIrCgVzdGF0ZRgCIAEoDjIcLmJyaWRnZW1hc3Rlci52MS5MYWRkZXJTdGF0ZSJAChVBZHZhbmNlTGFkZGVyUmVzcG9uc2USJwoGbGFkZGVyGA\
EgASgLMhcuYnJpZGdlbWFzdGVyLnYxLkxhZGRlciI7ChJMaXN0TGFkZGVyc1JlcXVlc3QSEQoJcGFnZV9zaXplGAEgASgNEhIKCnBhZ2VfdG9rZW4YAiABKAkiWAoTTGlzdExhZGRlcnNSZXNwb25zZRIoCgdsYW\
RkZXJzGAEgAygLMhcuYnJpZGdlbWFzdGVyLnYxLkxhZGRlchIXCg9uZXh0X3BhZ2VfdG9rZW4YAiABKAkiJQoQR2V0TGFkZGVyUmVxdWVzdBIRCglsYWRkZXJfaWQYASABKAkiPAoRR2V0TGFkZGVyUmVzcG9uc2\
USJwoGbGFkZGVyGAEgASgLMhcuYnJpZGdlbWFzdGVyLnYxLkxhZGRlciJmChRMaXN0U3RhbmRpbmdzUmVxdWVzdBIRCglsYWRkZXJfaWQYASABKAkSFAoMYWxsX3ZlcnNpb25zGAIgASgIEhEKCXBhZ2Vfc2l6ZR\
gDIAEoDRISCgpwYWdlX3Rva2VuGAQgASgJIl4KFUxpc3RTdGFuZGluZ3NSZXNwb25zZRIsCglzdGFuZGluZ3MYASADKAsyGS5icmlkZ2VtYXN0ZXIudjEuU3RhbmRpbmcSFwoPbmV4dF9wYWdlX3Rva2VuGAIgAS\
gJIjoKE0dldExhZGRlckJvdFJlcXVlc3QSEQoJbGFkZGVyX2lkGAEgASgJEhAKCGJvdF9uYW1lGAIgASgJIkgKFEdldExhZGRlckJvdFJlc3BvbnNlEjAKCHZlcnNpb25zGAEgAygLMh4uYnJpZGdlbWFzdGVyLn\
YxLkxhZGRlclZlcnNpb24imAEKFkxpc3RIZWFkVG9IZWFkc1JlcXVlc3QSEQoJbGFkZGVyX2lkGAEgASgJEioKA2JvdBgCIAEoCzIdLmJyaWRnZW1hc3Rlci52MS5MYWRkZXJCb3RSZWYSGAoQYWdhaW5zdF9ib3\
RfbmFtZRgDIAEoCRIRCglwYWdlX3NpemUYBCABKA0SEgoKcGFnZV90b2tlbhgFIAEoCSJmChdMaXN0SGVhZFRvSGVhZHNSZXNwb25zZRIyCgdlbnRyaWVzGAEgAygLMiEuYnJpZGdlbWFzdGVyLnYxLkxhZGRlck\
hlYWRUb0hlYWQSFwoPbmV4dF9wYWdlX3Rva2VuGAIgASgJInUKEExhZGRlckhlYWRUb0hlYWQSLgoHYWdhaW5zdBgBIAEoCzIdLmJyaWRnZW1hc3Rlci52MS5MYWRkZXJCb3RSZWYSMQoMaGVhZF90b19oZWFkGA\
IgASgLMhsuYnJpZGdlbWFzdGVyLnYxLkhlYWRUb0hlYWQipAEKGExpc3RMYWRkZXJNYXRjaGVzUmVxdWVzdBIRCglsYWRkZXJfaWQYASABKAkSEAoIYm90X25hbWUYAiABKAkSGAoQYWdhaW5zdF9ib3RfbmFtZR\
gDIAEoCRIVCghhbm51bGxlZBgEIAEoCEgAiAEBEhEKCXBhZ2Vfc2l6ZRgFIAEoDRISCgpwYWdlX3Rva2VuGAYgASgJQgsKCV9hbm51bGxlZCJjChlMaXN0TGFkZGVyTWF0Y2hlc1Jlc3BvbnNlEi0KB21hdGNoZX\
MYASADKAsyHC5icmlkZ2VtYXN0ZXIudjEuTGFkZGVyTWF0Y2gSFwoPbmV4dF9wYWdlX3Rva2VuGAIgASgJImgKC0xhZGRlck1hdGNoEikKBW1hdGNoGAEgASgLMhouYnJpZGdlbWFzdGVyLnYxLk1hdGNoSW5mbx\
IuCgdwdXJwb3NlGAIgASgOMh0uYnJpZGdlbWFzdGVyLnYxLk9mZmVyUHVycG9zZSInChJXYXRjaExhZGRlclJlcXVlc3QSEQoJbGFkZGVyX2lkGAEgASgJIpkBChNXYXRjaExhZGRlclJlc3BvbnNlEicKBmxhZG\
RlchgBIAEoCzIXLmJyaWRnZW1hc3Rlci52MS5MYWRkZXISLAoJc3RhbmRpbmdzGAIgAygLMhkuYnJpZGdlbWFzdGVyLnYxLlN0YW5kaW5nEisKBW1hdGNoGAMgASgLMhwuYnJpZGdlbWFzdGVyLnYxLkxhZGRlck\
1hdGNoIlUKE1JlcXVlc3RNYXRjaFJlcXVlc3QSEQoJbGFkZGVyX2lkGAEgASgJEisKBGJvdHMYAiADKAsyHS5icmlkZ2VtYXN0ZXIudjEuTGFkZGVyQm90UmVmIigKFFJlcXVlc3RNYXRjaFJlc3BvbnNlEhAKCG\
1hdGNoX2lkGAEgASgJIlYKEkFjdE9uTGFkZGVyUmVxdWVzdBIRCglsYWRkZXJfaWQYASABKAkSLQoGYWN0aW9uGAIgASgLMh0uYnJpZGdlbWFzdGVyLnYxLkxhZGRlckFjdGlvbiJtChNBY3RPbkxhZGRlclJlc3\
BvbnNlEi0KBmFjdGlvbhgBIAEoCzIdLmJyaWRnZW1hc3Rlci52MS5MYWRkZXJBY3Rpb24SJwoGbGFkZGVyGAIgASgLMhcuYnJpZGdlbWFzdGVyLnYxLkxhZGRlciJUChhMaXN0TGFkZGVyQWN0aW9uc1JlcXVlc3\
QSEQoJbGFkZGVyX2lkGAEgASgJEhEKCXBhZ2Vfc2l6ZRgCIAEoDRISCgpwYWdlX3Rva2VuGAMgASgJImQKGUxpc3RMYWRkZXJBY3Rpb25zUmVzcG9uc2USLgoHYWN0aW9ucxgBIAMoCzIdLmJyaWRnZW1hc3Rlci\
52MS5MYWRkZXJBY3Rpb24SFwoPbmV4dF9wYWdlX3Rva2VuGAIgASgJIlIKEVVuYmVuY2hCb3RSZXF1ZXN0EhEKCWxhZGRlcl9pZBgBIAEoCRIqCgNib3QYAiABKAsyHS5icmlkZ2VtYXN0ZXIudjEuTGFkZGVyQm\
90UmVmIkEKElVuYmVuY2hCb3RSZXNwb25zZRIrCghzdGFuZGluZxgBIAEoCzIZLmJyaWRnZW1hc3Rlci52MS5TdGFuZGluZyIpChRFeHBvcnRSZXN1bHRzUmVxdWVzdBIRCglsYWRkZXJfaWQYASABKAkiJgoVRX\
hwb3J0UmVzdWx0c1Jlc3BvbnNlEg0KBWNodW5rGAEgASgMIlUKFEV4cG9ydFJlcGxheXNSZXF1ZXN0EhEKCWxhZGRlcl9pZBgBIAEoCRIQCghib3RfbmFtZRgCIAEoCRIYChBhZ2FpbnN0X2JvdF9uYW1lGAMgAS\
gJIiYKFUV4cG9ydFJlcGxheXNSZXNwb25zZRINCgVjaHVuaxgBIAEoDCpqCgxSYXRpbmdNZXRob2QSHQoZUkFUSU5HX01FVEhPRF9VTlNQRUNJRklFRBAAEh8KG1JBVElOR19NRVRIT0RfUExBQ0tFVFRfTFVDRR\
ABEhoKFlJBVElOR19NRVRIT0RfR0xJQ0tPXzIQAip0CgtMYWRkZXJTdGF0ZRIcChhMQURERVJfU1RBVEVfVU5TUEVDSUZJRUQQABIVChFMQURERVJfU1RBVEVfT1BFThABEhcKE0xBRERFUl9TVEFURV9GUk9aRU\
4QAhIXChNMQURERVJfU1RBVEVfQ0xPU0VEEAMqjAEKDUxhZGRlclJlcGxheXMSHgoaTEFEREVSX1JFUExBWVNfVU5TUEVDSUZJRUQQABIZChVMQURERVJfUkVQTEFZU19QVUJMSUMQARIfChtMQURERVJfUkVQTE\
FZU19QQVJUSUNJUEFOVFMQAhIfChtMQURERVJfUkVQTEFZU19BRlRFUl9TRUFTT04QAzKjCwoNTGFkZGVyU2VydmljZRJbCgxDcmVhdGVMYWRkZXISJC5icmlkZ2VtYXN0ZXIudjEuQ3JlYXRlTGFkZGVyUmVxdW\
VzdBolLmJyaWRnZW1hc3Rlci52MS5DcmVhdGVMYWRkZXJSZXNwb25zZRJeCg1BZHZhbmNlTGFkZGVyEiUuYnJpZGdlbWFzdGVyLnYxLkFkdmFuY2VMYWRkZXJSZXF1ZXN0GiYuYnJpZGdlbWFzdGVyLnYxLkFkdm\
FuY2VMYWRkZXJSZXNwb25zZRJYCgtMaXN0TGFkZGVycxIjLmJyaWRnZW1hc3Rlci52MS5MaXN0TGFkZGVyc1JlcXVlc3QaJC5icmlkZ2VtYXN0ZXIudjEuTGlzdExhZGRlcnNSZXNwb25zZRJSCglHZXRMYWRkZX\
ISIS5icmlkZ2VtYXN0ZXIudjEuR2V0TGFkZGVyUmVxdWVzdBoiLmJyaWRnZW1hc3Rlci52MS5HZXRMYWRkZXJSZXNwb25zZRJeCg1MaXN0U3RhbmRpbmdzEiUuYnJpZGdlbWFzdGVyLnYxLkxpc3RTdGFuZGluZ3\
NSZXF1ZXN0GiYuYnJpZGdlbWFzdGVyLnYxLkxpc3RTdGFuZGluZ3NSZXNwb25zZRJbCgxHZXRMYWRkZXJCb3QSJC5icmlkZ2VtYXN0ZXIudjEuR2V0TGFkZGVyQm90UmVxdWVzdBolLmJyaWRnZW1hc3Rlci52MS\
5HZXRMYWRkZXJCb3RSZXNwb25zZRJkCg9MaXN0SGVhZFRvSGVhZHMSJy5icmlkZ2VtYXN0ZXIudjEuTGlzdEhlYWRUb0hlYWRzUmVxdWVzdBooLmJyaWRnZW1hc3Rlci52MS5MaXN0SGVhZFRvSGVhZHNSZXNwb2\
5zZRJqChFMaXN0TGFkZGVyTWF0Y2hlcxIpLmJyaWRnZW1hc3Rlci52MS5MaXN0TGFkZGVyTWF0Y2hlc1JlcXVlc3QaKi5icmlkZ2VtYXN0ZXIudjEuTGlzdExhZGRlck1hdGNoZXNSZXNwb25zZRJaCgtXYXRjaE\
xhZGRlchIjLmJyaWRnZW1hc3Rlci52MS5XYXRjaExhZGRlclJlcXVlc3QaJC5icmlkZ2VtYXN0ZXIudjEuV2F0Y2hMYWRkZXJSZXNwb25zZTABElsKDFJlcXVlc3RNYXRjaBIkLmJyaWRnZW1hc3Rlci52MS5SZX\
F1ZXN0TWF0Y2hSZXF1ZXN0GiUuYnJpZGdlbWFzdGVyLnYxLlJlcXVlc3RNYXRjaFJlc3BvbnNlElgKC0FjdE9uTGFkZGVyEiMuYnJpZGdlbWFzdGVyLnYxLkFjdE9uTGFkZGVyUmVxdWVzdBokLmJyaWRnZW1hc3\
Rlci52MS5BY3RPbkxhZGRlclJlc3BvbnNlEmoKEUxpc3RMYWRkZXJBY3Rpb25zEikuYnJpZGdlbWFzdGVyLnYxLkxpc3RMYWRkZXJBY3Rpb25zUmVxdWVzdBoqLmJyaWRnZW1hc3Rlci52MS5MaXN0TGFkZGVyQW\
N0aW9uc1Jlc3BvbnNlElUKClVuYmVuY2hCb3QSIi5icmlkZ2VtYXN0ZXIudjEuVW5iZW5jaEJvdFJlcXVlc3QaIy5icmlkZ2VtYXN0ZXIudjEuVW5iZW5jaEJvdFJlc3BvbnNlEmAKDUV4cG9ydFJlc3VsdHMSJS\
5icmlkZ2VtYXN0ZXIudjEuRXhwb3J0UmVzdWx0c1JlcXVlc3QaJi5icmlkZ2VtYXN0ZXIudjEuRXhwb3J0UmVzdWx0c1Jlc3BvbnNlMAESYAoNRXhwb3J0UmVwbGF5cxIlLmJyaWRnZW1hc3Rlci52MS5FeHBvcn\
RSZXBsYXlzUmVxdWVzdBomLmJyaWRnZW1hc3Rlci52MS5FeHBvcnRSZXBsYXlzUmVzcG9uc2UwAWIGcHJvdG8z",[be,pl,Be,Gl]);var Oo=(s=>(s[s.UNSPECIFIED=0]="UNSPECIFIED",s[s.OPEN=1]="OPEN",s[s.FROZEN=2]="FROZEN",s[s.CLOSED=3]="CLOSED",s))(Oo||{});var xl=ke(ag,0);var Il=S("ChpicmlkZ2VtYXN0ZXIvdjEvcGxheS5wcm90bxIPYnJpZGdlbWFzdGVyLnYxIsIBCgtQbGF5UmVxdWVzdBInCgVoZWxsbxgBIAEoCzIWLmJyaWRnZW1hc3Rlci52MS5IZWxsb0gAEi0KCGRlY2lzaW\
9uGAIgASgLMhkuYnJpZGdlbWFzdGVyLnYxLkRlY2lzaW9uSAASKQoGcmVzaWduGAMgASgLMhcuYnJpZGdlbWFzdGVyLnYxLlJlc2lnbkgAEiUKBHBvbmcYBCABKAsyFS5icmlkZ2VtYXN0ZXIudjEuUG9uZ0gAQg\
kKB21lc3NhZ2UizAMKDFBsYXlSZXNwb25zZRIQCghzZXF1ZW5jZRgBIAEoDRIrCgd3ZWxjb21lGAIgASgLMhguYnJpZGdlbWFzdGVyLnYxLldlbGNvbWVIABI2Cg1tYXRjaF9zdGFydGVkGAMgASgLMh0uYnJpZG\
dlbWFzdGVyLnYxLk1hdGNoU3RhcnRlZEgAEjwKEGRlY2lzaW9uX3JlcXVlc3QYBCABKAsyIC5icmlkZ2VtYXN0ZXIudjEuRGVjaXNpb25SZXF1ZXN0SAASPgoRZGVjaXNpb25fcmVqZWN0ZWQYBSABKAsyIS5icm\
lkZ2VtYXN0ZXIudjEuRGVjaXNpb25SZWplY3RlZEgAEjIKC3NlYXRfc3RhdHVzGAYgASgLMhsuYnJpZGdlbWFzdGVyLnYxLlNlYXRTdGF0dXNIABIyCgttYXRjaF9lbmRlZBgHIAEoCzIbLmJyaWRnZW1hc3Rlci\
52MS5NYXRjaEVuZGVkSAASJQoEcGluZxgIIAEoCzIVLmJyaWRnZW1hc3Rlci52MS5QaW5nSAASLQoIZHJhaW5pbmcYCSABKAsyGS5icmlkZ2VtYXN0ZXIudjEuRHJhaW5pbmdIAEIJCgdtZXNzYWdlIuEBCgVIZW\
xsbxIZChFwcm90b2NvbF9yZXZpc2lvbhgBIAEoDRIQCghib3RfbmFtZRgCIAEoCRITCgtib3RfdmVyc2lvbhgDIAEoCRINCgVnYW1lcxgEIAMoCRIaCg1sYXN0X3NlcXVlbmNlGAUgASgNSACIAQESFwoKaGlzdG\
9yeV9pZBgGIAEoCUgBiAEBEhoKEmNsaWVudF9pbnN0YW5jZV9pZBgHIAEoCRIVCg1zdHJlYW1fbnVtYmVyGAggASgNQhAKDl9sYXN0X3NlcXVlbmNlQg0KC19oaXN0b3J5X2lkIrQBCgdXZWxjb21lEhkKEXByb3\
RvY29sX3JldmlzaW9uGAEgASgNEhYKDnNlcnZlcl92ZXJzaW9uGAIgASgJEhAKCG1hdGNoX2lkGAMgASgJEgwKBHNlYXQYBCABKA0SGAoQcGluZ19pbnRlcnZhbF9tcxgFIAEoDRISCgpoaXN0b3J5X2lkGAYgAS\
gJEg8KB3Jlc3VtZWQYByABKAgSFwoPbm90ZV9ieXRlc19sZWZ0GAggASgNIrYBCgxNYXRjaFN0YXJ0ZWQSEAoIbWF0Y2hfaWQYASABKAkSDAoEc2VhdBgCIAEoDRIsCgZjb25maWcYAyABKAsyHC5icmlkZ2VtYX\
N0ZXIudjEuTWF0Y2hDb25maWcSFQoNcnVsZXNfdmVyc2lvbhgEIAEoDRIoCgVzZWF0cxgFIAMoCzIZLmJyaWRnZW1hc3Rlci52MS5TZWF0SW5mbxIXCg9zZWVkX2NvbW1pdG1lbnQYBiABKAkiqgEKD0RlY2lzaW\
9uUmVxdWVzdBISCgpyZXF1ZXN0X2lkGAEgASgNEioKBGdhbWUYAiABKAsyHC5icmlkZ2VtYXN0ZXIudjEuR2FtZVJlcXVlc3QSEwoLbGVnYWxfY291bnQYAyABKA0SGwoTbGVnYWxfZGVjaXNpb25zX2N1dBgEIA\
EoCBIlCgVjbG9jaxgFIAEoCzIWLmJyaWRnZW1hc3Rlci52MS5DbG9jayJ6CghEZWNpc2lvbhISCgpyZXF1ZXN0X2lkGAEgASgNEg8KBWluZGV4GAIgASgNSAASMQoIZGVjaXNpb24YAyABKAsyHS5icmlkZ2VtYX\
N0ZXIudjEuR2FtZURlY2lzaW9uSAASDAoEbm90ZRgEIAEoCUIICgZjaG9pY2UinwEKEERlY2lzaW9uUmVqZWN0ZWQSEgoKcmVxdWVzdF9pZBgBIAEoDRIuCgZyZWFzb24YAiABKA4yHi5icmlkZ2VtYXN0ZXIudj\
EuUmVmdXNhbFJlYXNvbhINCgVmaWVsZBgDIAEoCRIOCgZkZXRhaWwYBCABKAkSFwoPb3Blbl9yZXF1ZXN0X2lkGAUgASgNEg8KB3N0cmlrZXMYBiABKA0iCAoGUmVzaWduImMKClNlYXRTdGF0dXMSJwoEc2VhdB\
gBIAEoCzIZLmJyaWRnZW1hc3Rlci52MS5TZWF0SW5mbxIsCgZyZWFzb24YAiABKA4yHC5icmlkZ2VtYXN0ZXIudjEuRmF1bHRSZWFzb24iWwoKTWF0Y2hFbmRlZBIsCgZyZXN1bHQYASABKAsyHC5icmlkZ2VtYX\
N0ZXIudjEuTWF0Y2hSZXN1bHQSDAoEc2VlZBgCIAEoCRIRCglzZWVkX3NhbHQYAyABKAkiFQoEUGluZxINCgVub25jZRgBIAEoBCJJCghEcmFpbmluZxIUCgx0aW1lX2xlZnRfbXMYASABKA0SFgoObWF0Y2hlc1\
9yZXN1bWUYAiABKAgSDwoHYWRkcmVzcxgDIAEoCSIVCgRQb25nEg0KBW5vbmNlGAEgASgEMlYKC1BsYXlTZXJ2aWNlEkcKBFBsYXkSHC5icmlkZ2VtYXN0ZXIudjEuUGxheVJlcXVlc3QaHS5icmlkZ2VtYXN0ZX\
IudjEuUGxheVJlc3BvbnNlKAEwAWIGcHJvdG8z",[Le,be,Ae,Be,fr]);var ig=S("CiJicmlkZ2VtYXN0ZXIvdjEvc2VhdF9zZXJ2aWNlLnByb3RvEg9icmlkZ2VtYXN0ZXIudjEiOQoQV2F0Y2hTZWF0UmVxdWVzdBIlCgVoZWxsbxgBIAEoCzIWLmJyaWRnZW1hc3Rlci52MS5IZWxsby\
JDChFXYXRjaFNlYXRSZXNwb25zZRIuCgdtZXNzYWdlGAEgASgLMh0uYnJpZGdlbWFzdGVyLnYxLlBsYXlSZXNwb25zZSI8Cg1EZWNpZGVSZXF1ZXN0EisKCGRlY2lzaW9uGAEgASgLMhkuYnJpZGdlbWFzdGVyLn\
YxLkRlY2lzaW9uIkUKDkRlY2lkZVJlc3BvbnNlEjMKCHJlamVjdGVkGAEgASgLMiEuYnJpZGdlbWFzdGVyLnYxLkRlY2lzaW9uUmVqZWN0ZWQiEwoRUmVzaWduU2VhdFJlcXVlc3QiFAoSUmVzaWduU2VhdFJlc3\
BvbnNlMoUCCgtTZWF0U2VydmljZRJUCglXYXRjaFNlYXQSIS5icmlkZ2VtYXN0ZXIudjEuV2F0Y2hTZWF0UmVxdWVzdBoiLmJyaWRnZW1hc3Rlci52MS5XYXRjaFNlYXRSZXNwb25zZTABEkkKBkRlY2lkZRIeLm\
JyaWRnZW1hc3Rlci52MS5EZWNpZGVSZXF1ZXN0Gh8uYnJpZGdlbWFzdGVyLnYxLkRlY2lkZVJlc3BvbnNlElUKClJlc2lnblNlYXQSIi5icmlkZ2VtYXN0ZXIudjEuUmVzaWduU2VhdFJlcXVlc3QaIy5icmlkZ2\
VtYXN0ZXIudjEuUmVzaWduU2VhdFJlc3BvbnNlYgZwcm90bzM",[Il]);var Nl=ke(ig,0);var Cr=S("ChxicmlkZ2VtYXN0ZXIvdjEvcmVwbGF5LnByb3RvEg9icmlkZ2VtYXN0ZXIudjEikAUKBlJlcGxheRIWCg5mb3JtYXRfdmVyc2lvbhgBIAEoDRIQCghtYXRjaF9pZBgCIAEoCRIPCgdnYW1lX2lkGA\
MgASgJEhUKDXJ1bGVzX3ZlcnNpb24YBCABKA0SFgoOc2VydmVyX3ZlcnNpb24YBSABKAkSEgoKZGF0YV9ub3RlcxgGIAMoCRIsCgZjb25maWcYByABKAsyHC5icmlkZ2VtYXN0ZXIudjEuTWF0Y2hDb25maWcSKQ\
oFc2V0dXAYCCABKAsyGi5icmlkZ2VtYXN0ZXIudjEuR2FtZVNldHVwEjIKDm9wZW5pbmdfZXZlbnRzGAkgAygLMhouYnJpZGdlbWFzdGVyLnYxLkdhbWVFdmVudBIWCg5vcGVuaW5nX2RpZ2VzdBgKIAEoBhIoCg\
dyZWNvcmRzGAsgAygLMhcuYnJpZGdlbWFzdGVyLnYxLlJlY29yZBIsCgZyZXN1bHQYDCABKAsyHC5icmlkZ2VtYXN0ZXIudjEuTWF0Y2hSZXN1bHQSFwoPc2VlZF9jb21taXRtZW50GA0gASgJEhEKCXNlZWRfc2\
FsdBgOIAEoCRIQCghjaGVja3N1bRgPIAEoBhIWCg5zaWduaW5nX2tleV9pZBgQIAEoDBIRCglzaWduYXR1cmUYESABKAwSEwoLc2lnbmluZ19rZXkYEiABKAwSKQoEZm9yaxgTIAEoCzIbLmJyaWRnZW1hc3Rlci\
52MS5Gb3JrT3JpZ2luEjMKBmxhYmVscxgUIAMoCzIjLmJyaWRnZW1hc3Rlci52MS5SZXBsYXkuTGFiZWxzRW50cnkaLQoLTGFiZWxzRW50cnkSCwoDa2V5GAEgASgJEg0KBXZhbHVlGAIgASgJOgI4ASLzAQoGUm\
Vjb3JkEg4KBm51bWJlchgBIAEoDRINCgVhdF9tcxgCIAEoBBIzCghkZWNpc2lvbhgDIAEoCzIfLmJyaWRnZW1hc3Rlci52MS5EZWNpc2lvblJlY29yZEgAEi0KBWZhdWx0GAQgASgLMhwuYnJpZGdlbWFzdGVyLn\
YxLkZhdWx0UmVjb3JkSAASKwoEc2VhdBgFIAEoCzIbLmJyaWRnZW1hc3Rlci52MS5TZWF0UmVjb3JkSAASLwoGY2hhbmNlGAYgASgLMh0uYnJpZGdlbWFzdGVyLnYxLkNoYW5jZVJlY29yZEgAQggKBnJlY29yZC\
KGAgoORGVjaXNpb25SZWNvcmQSDAoEc2VhdBgBIAEoDRIvCghkZWNpc2lvbhgCIAEoCzIdLmJyaWRnZW1hc3Rlci52MS5HYW1lRGVjaXNpb24SLgoKZGVjaWRlZF9ieRgDIAEoDjIaLmJyaWRnZW1hc3Rlci52MS\
5EZWNpZGVkQnkSEgoKcmVxdWVzdF9pZBgEIAEoDRInCgZjaGFyZ2UYBSABKAsyFy5icmlkZ2VtYXN0ZXIudjEuQ2hhcmdlEioKBmV2ZW50cxgGIAMoCzIaLmJyaWRnZW1hc3Rlci52MS5HYW1lRXZlbnQSDgoGZG\
lnZXN0GAcgASgGEgwKBG5vdGUYCCABKAkihwEKDENoYW5jZVJlY29yZBIOCgZzdHJlYW0YASABKAQSKwoGY2hhbmNlGAIgASgLMhsuYnJpZGdlbWFzdGVyLnYxLkdhbWVDaGFuY2USKgoGZXZlbnRzGAMgAygLMh\
ouYnJpZGdlbWFzdGVyLnYxLkdhbWVFdmVudBIOCgZkaWdlc3QYBCABKAYiQgoLRmF1bHRSZWNvcmQSDAoEc2VhdBgBIAEoDRIlCgVmYXVsdBgCIAEoCzIWLmJyaWRnZW1hc3Rlci52MS5GYXVsdCI1CgpTZWF0Um\
Vjb3JkEicKBHNlYXQYASABKAsyGS5icmlkZ2VtYXN0ZXIudjEuU2VhdEluZm8qgAEKCURlY2lkZWRCeRIaChZERUNJREVEX0JZX1VOU1BFQ0lGSUVEEAASEgoOREVDSURFRF9CWV9CT1QQARIWChJERUNJREVEX0\
JZX1JFRkVSRUUQAhIUChBERUNJREVEX0JZX0hPVVNFEAMSFQoRREVDSURFRF9CWV9SRVBMQVkQBGIGcHJvdG8z",[Le,be,Ae,Be]);var Ko=S("Ch5icmlkZ2VtYXN0ZXIvdjEvcG9zaXRpb24ucHJvdG8SD2JyaWRnZW1hc3Rlci52MSIkCgZWaWV3ZXISEQoEc2VhdBgBIAEoDUgAiAEBQgcKBV9zZWF0Io8CCghQb3NpdGlvbhIOCgZudW1iZXIYAS\
ABKA0SLwoGcGxheWVkGAIgASgLMh8uYnJpZGdlbWFzdGVyLnYxLlBsYXllZERlY2lzaW9uEjYKDG9ic2VydmF0aW9ucxgDIAMoCzIgLmJyaWRnZW1hc3Rlci52MS5HYW1lT2JzZXJ2YXRpb24SKgoGZXZlbnRzGA\
QgAygLMhouYnJpZGdlbWFzdGVyLnYxLkdhbWVFdmVudBINCgVsaW5lcxgFIAMoCRIqCgZmYXVsdHMYBiADKAsyGi5icmlkZ2VtYXN0ZXIudjEuU2VhdEZhdWx0EhQKDGJhbmtfbGVmdF9tcxgHIAMoDRINCgVhdF\
9tcxgIIAEoBCKdAgoOUGxheWVkRGVjaXNpb24SDAoEc2VhdBgBIAEoDRIvCghkZWNpc2lvbhgCIAEoCzIdLmJyaWRnZW1hc3Rlci52MS5HYW1lRGVjaXNpb24SEAoIbm90YXRpb24YAyABKAkSLgoKZGVjaWRlZF\
9ieRgEIAEoDjIaLmJyaWRnZW1hc3Rlci52MS5EZWNpZGVkQnkSJwoGY2hhcmdlGAUgASgLMhcuYnJpZGdlbWFzdGVyLnYxLkNoYXJnZRIMCgRub3RlGAYgASgJEjYKD2xlZ2FsX2RlY2lzaW9ucxgHIAMoCzIdLm\
JyaWRnZW1hc3Rlci52MS5HYW1lRGVjaXNpb24SGwoTbGVnYWxfZGVjaXNpb25zX2N1dBgIIAEoCCJACglTZWF0RmF1bHQSDAoEc2VhdBgBIAEoDRIlCgVmYXVsdBgCIAEoCzIWLmJyaWRnZW1hc3Rlci52MS5GYX\
VsdGIGcHJvdG8z",[Le,be,Ae,Cr]),Tr=G(Ko,0);var Po=S("CiNicmlkZ2VtYXN0ZXIvdjEvbWF0Y2hfc2VydmljZS5wcm90bxIPYnJpZGdlbWFzdGVyLnYxIvgCChJDcmVhdGVNYXRjaFJlcXVlc3QSLAoGY29uZmlnGAEgASgLMhwuYnJpZGdlbWFzdGVyLnYxLk\
1hdGNoQ29uZmlnEhcKD2lkZW1wb3RlbmN5X2tleRgCIAEoCRI/CgZsYWJlbHMYAyADKAsyLy5icmlkZ2VtYXN0ZXIudjEuQ3JlYXRlTWF0Y2hSZXF1ZXN0LkxhYmVsc0VudHJ5EjsKEXNlYXRfcmVzZXJ2YXRpb2\
5zGAQgAygLMiAuYnJpZGdlbWFzdGVyLnYxLlNlYXRSZXNlcnZhdGlvbhIaCg1ydWxlc192ZXJzaW9uGAUgASgNSACIAQESKAoEZm9yaxgGIAEoCzIaLmJyaWRnZW1hc3Rlci52MS5NYXRjaEZvcmsSFgoOd2l0aG\
91dF9jb25maWcYByABKAgaLQoLTGFiZWxzRW50cnkSCwoDa2V5GAEgASgJEg0KBXZhbHVlGAIgASgJOgI4AUIQCg5fcnVsZXNfdmVyc2lvbiJDCg9TZWF0UmVzZXJ2YXRpb24SDAoEc2VhdBgBIAEoDRIQCghrZX\
lfbmFtZRgCIAEoCRIQCghxdWV1ZV9pZBgDIAEoCSKXAQoJTWF0Y2hGb3JrEhIKCG1hdGNoX2lkGAEgASgJSAASFQoLcmVwbGF5X2ZpbGUYAiABKAxIABIRCglkZWNpc2lvbnMYAyABKA0SKwoGY2hhbmNlGAQgAS\
gOMhsuYnJpZGdlbWFzdGVyLnYxLkZvcmtDaGFuY2USFQoNa25vd2luZ19zZWF0cxgFIAMoDUIICgZzb3VyY2UifwoTQ3JlYXRlTWF0Y2hSZXNwb25zZRIpCgVtYXRjaBgBIAEoCzIaLmJyaWRnZW1hc3Rlci52MS\
5NYXRjaEluZm8SLAoHdGlja2V0cxgCIAMoCzIbLmJyaWRnZW1hc3Rlci52MS5TZWF0VGlja2V0Eg8KB2V4aXN0ZWQYAyABKAgiKgoKU2VhdFRpY2tldBIMCgRzZWF0GAEgASgNEg4KBnRpY2tldBgCIAEoCSJMCg\
9HZXRNYXRjaFJlcXVlc3QSEAoIbWF0Y2hfaWQYASABKAkSDwoHd2FpdF9tcxgCIAEoDRIWCg53aXRob3V0X2NvbmZpZxgDIAEoCCI9ChBHZXRNYXRjaFJlc3BvbnNlEikKBW1hdGNoGAEgASgLMhouYnJpZGdlbW\
FzdGVyLnYxLk1hdGNoSW5mbyLIAgoLTWF0Y2hGaWx0ZXISKgoFc3RhdGUYASABKA4yGy5icmlkZ2VtYXN0ZXIudjEuTWF0Y2hTdGF0ZRIPCgdnYW1lX2lkGAIgASgJEjgKBmxhYmVscxgDIAMoCzIoLmJyaWRnZW\
1hc3Rlci52MS5NYXRjaEZpbHRlci5MYWJlbHNFbnRyeRINCgVtYWtlchgEIAEoCRIQCghib3RfbmFtZRgFIAEoCRIQCghncm91cF9pZBgGIAEoCRIcChRjcmVhdGVkX2Zyb21fdW5peF9tcxgHIAEoBBIeChZjcm\
VhdGVkX2JlZm9yZV91bml4X21zGAggASgEEhUKCGFubnVsbGVkGAkgASgISACIAQEaLQoLTGFiZWxzRW50cnkSCwoDa2V5GAEgASgJEg0KBXZhbHVlGAIgASgJOgI4AUILCglfYW5udWxsZWQiaQoSTGlzdE1hdG\
NoZXNSZXF1ZXN0EiwKBmZpbHRlchgBIAEoCzIcLmJyaWRnZW1hc3Rlci52MS5NYXRjaEZpbHRlchIRCglwYWdlX3NpemUYAiABKA0SEgoKcGFnZV90b2tlbhgDIAEoCSKKAQoTTGlzdE1hdGNoZXNSZXNwb25zZR\
IrCgdtYXRjaGVzGAEgAygLMhouYnJpZGdlbWFzdGVyLnYxLk1hdGNoSW5mbxIXCg9uZXh0X3BhZ2VfdG9rZW4YAiABKAkSGQoRZGFtYWdlZF9tYXRjaF9pZHMYAyADKAkSEgoKaW5jb21wbGV0ZRgEIAEoCCIlCh\
FXYXRjaE1hdGNoUmVxdWVzdBIQCghtYXRjaF9pZBgBIAEoCSKiAQoSV2F0Y2hNYXRjaFJlc3BvbnNlEikKBW1hdGNoGAEgASgLMhouYnJpZGdlbWFzdGVyLnYxLk1hdGNoSW5mbxI1CgtvYnNlcnZhdGlvbhgCIA\
EoCzIgLmJyaWRnZW1hc3Rlci52MS5HYW1lT2JzZXJ2YXRpb24SKgoGZXZlbnRzGAMgAygLMhouYnJpZGdlbWFzdGVyLnYxLkdhbWVFdmVudCJtChNXYXRjaE1hdGNoZXNSZXF1ZXN0EiwKBmZpbHRlchgBIAEoCz\
IcLmJyaWRnZW1hc3Rlci52MS5NYXRjaEZpbHRlchITCgttYXhfbWF0Y2hlcxgCIAEoDRITCgtpbnRlcnZhbF9tcxgDIAEoDSJ4ChRXYXRjaE1hdGNoZXNSZXNwb25zZRIpCgVtYXRjaBgBIAEoCzIaLmJyaWRnZW\
1hc3Rlci52MS5NYXRjaEluZm8SNQoLb2JzZXJ2YXRpb24YAiABKAsyIC5icmlkZ2VtYXN0ZXIudjEuR2FtZU9ic2VydmF0aW9uIo0BChVXYXRjaFBvc2l0aW9uc1JlcXVlc3QSEgoIbWF0Y2hfaWQYASABKAlIAB\
IVCgtyZXBsYXlfZmlsZRgCIAEoDEgAEigKB3ZpZXdlcnMYAyADKAsyFy5icmlkZ2VtYXN0ZXIudjEuVmlld2VyEhUKDWZyb21fZGVjaXNpb24YBCABKA1CCAoGc291cmNlInAKFldhdGNoUG9zaXRpb25zUmVzcG\
9uc2USKwoIcG9zaXRpb24YASABKAsyGS5icmlkZ2VtYXN0ZXIudjEuUG9zaXRpb24SKQoFbWF0Y2gYAiABKAsyGi5icmlkZ2VtYXN0ZXIudjEuTWF0Y2hJbmZvIjUKEEdldFJlcGxheVJlcXVlc3QSEAoIbWF0Y2\
hfaWQYASABKAkSDwoHYXNfZmlsZRgCIAEoCCJKChFHZXRSZXBsYXlSZXNwb25zZRInCgZyZXBsYXkYASABKAsyFy5icmlkZ2VtYXN0ZXIudjEuUmVwbGF5EgwKBGZpbGUYAiABKAwiNgoSQ2FuY2VsTWF0Y2hSZX\
F1ZXN0EhAKCG1hdGNoX2lkGAEgASgJEg4KBnJlYXNvbhgCIAEoCSJAChNDYW5jZWxNYXRjaFJlc3BvbnNlEikKBW1hdGNoGAEgASgLMhouYnJpZGdlbWFzdGVyLnYxLk1hdGNoSW5mbyI4ChVSZXBsYWNlVGlja2\
V0c1JlcXVlc3QSEAoIbWF0Y2hfaWQYASABKAkSDQoFc2VhdHMYAiADKA0iRgoWUmVwbGFjZVRpY2tldHNSZXNwb25zZRIsCgd0aWNrZXRzGAEgAygLMhsuYnJpZGdlbWFzdGVyLnYxLlNlYXRUaWNrZXQiQwoRRX\
hwaXJlU2VhdFJlcXVlc3QSEAoIbWF0Y2hfaWQYASABKAkSDAoEc2VhdBgCIAEoDRIOCgZyZWFzb24YAyABKAkiFAoSRXhwaXJlU2VhdFJlc3BvbnNlIj8KEUNsb3NlR3JvdXBSZXF1ZXN0EhAKCG1hdGNoX2lkGA\
EgASgJEhgKEHJlcGxheV9tYXRjaF9pZHMYAiADKAkiQgoSQ2xvc2VHcm91cFJlc3BvbnNlEiwKB3JlcGxheXMYASADKAsyGy5icmlkZ2VtYXN0ZXIudjEuUmVwbGF5RmlsZSIsCgpSZXBsYXlGaWxlEhAKCG1hdG\
NoX2lkGAEgASgJEgwKBGZpbGUYAiABKAwy7wcKDE1hdGNoU2VydmljZRJYCgtDcmVhdGVNYXRjaBIjLmJyaWRnZW1hc3Rlci52MS5DcmVhdGVNYXRjaFJlcXVlc3QaJC5icmlkZ2VtYXN0ZXIudjEuQ3JlYXRlTW\
F0Y2hSZXNwb25zZRJPCghHZXRNYXRjaBIgLmJyaWRnZW1hc3Rlci52MS5HZXRNYXRjaFJlcXVlc3QaIS5icmlkZ2VtYXN0ZXIudjEuR2V0TWF0Y2hSZXNwb25zZRJYCgtMaXN0TWF0Y2hlcxIjLmJyaWRnZW1hc3\
Rlci52MS5MaXN0TWF0Y2hlc1JlcXVlc3QaJC5icmlkZ2VtYXN0ZXIudjEuTGlzdE1hdGNoZXNSZXNwb25zZRJXCgpXYXRjaE1hdGNoEiIuYnJpZGdlbWFzdGVyLnYxLldhdGNoTWF0Y2hSZXF1ZXN0GiMuYnJpZG\
dlbWFzdGVyLnYxLldhdGNoTWF0Y2hSZXNwb25zZTABEl0KDFdhdGNoTWF0Y2hlcxIkLmJyaWRnZW1hc3Rlci52MS5XYXRjaE1hdGNoZXNSZXF1ZXN0GiUuYnJpZGdlbWFzdGVyLnYxLldhdGNoTWF0Y2hlc1Jlc3\
BvbnNlMAESYwoOV2F0Y2hQb3NpdGlvbnMSJi5icmlkZ2VtYXN0ZXIudjEuV2F0Y2hQb3NpdGlvbnNSZXF1ZXN0GicuYnJpZGdlbWFzdGVyLnYxLldhdGNoUG9zaXRpb25zUmVzcG9uc2UwARJSCglHZXRSZXBsYX\
kSIS5icmlkZ2VtYXN0ZXIudjEuR2V0UmVwbGF5UmVxdWVzdBoiLmJyaWRnZW1hc3Rlci52MS5HZXRSZXBsYXlSZXNwb25zZRJYCgtDYW5jZWxNYXRjaBIjLmJyaWRnZW1hc3Rlci52MS5DYW5jZWxNYXRjaFJlcX\
Vlc3QaJC5icmlkZ2VtYXN0ZXIudjEuQ2FuY2VsTWF0Y2hSZXNwb25zZRJhCg5SZXBsYWNlVGlja2V0cxImLmJyaWRnZW1hc3Rlci52MS5SZXBsYWNlVGlja2V0c1JlcXVlc3QaJy5icmlkZ2VtYXN0ZXIudjEuUm\
VwbGFjZVRpY2tldHNSZXNwb25zZRJVCgpFeHBpcmVTZWF0EiIuYnJpZGdlbWFzdGVyLnYxLkV4cGlyZVNlYXRSZXF1ZXN0GiMuYnJpZGdlbWFzdGVyLnYxLkV4cGlyZVNlYXRSZXNwb25zZRJVCgpDbG9zZUdyb3\
VwEiIuYnJpZGdlbWFzdGVyLnYxLkNsb3NlR3JvdXBSZXF1ZXN0GiMuYnJpZGdlbWFzdGVyLnYxLkNsb3NlR3JvdXBSZXNwb25zZWIGcHJvdG8z",[Ae,Be,Ko,Cr]);var Ml=G(Po,7);var Fl=G(Po,15);var Yl=ke(Po,0);function kr(e){let t=new K(e),n=[];for(;t.pos<t.len;)n.push(H(Fl,t.bytes()));return n}function Wl(e){let t=atob(e.replace(/\s+/g,"")),n=new Uint8Array(t.length);
for(let r=0;r<t.length;r++)n[r]=t.charCodeAt(r);return n}var se=class{constructor(t){this.maxMs=t}maxMs;#e=500;reset(){this.#e=500}async wait(){let t=this.#e;this.#e=Math.min(this.maxMs,t*2),await new Promise(n=>setTimeout(
n,t))}};var cg=e=>t=>{for(let[n,r]of Object.entries($t()))t.header.set(n,r);return e(t)},lg=7,dg=4e3,ug=e=>async t=>{let n=new se(dg);for(let r=lg-1;;r--){try{return await e(
t)}catch(s){if(t.stream||r===0||Xe(s)!=="NODE_SUPERSEDED")throw s}await n.wait()}},Qo=()=>Bo({baseUrl:location.origin+_,interceptors:[ug,cg],fetch:yi}),Mt=()=>qt(
Yl,Qo()),Ze=()=>qt(xl,Qo()),Cl=()=>qt(Nl,Qo());async function Tl(e){let t={"content-type":"application/octet-stream",...$t()},n=await fetch(`${_}/open-replay`,{
method:"POST",body:e,headers:t});if(!n.ok)throw new Error((await n.text()).slice(0,1e3)||`the server returned status ${n.status}`);return kr(new Uint8Array(await n.
arrayBuffer()))}function kl(e){return e===0?"unknown":(nn[e]??"unknown").toLowerCase().replace(/_/g," ")}function Xr(e){return(e?.forfeits??[]).map(({reason:t,count:n})=>`${n} ${kl(
t)}`).join(", ")}function Xl(e){return!e||e.timedMatches===0?"–":`${(Number(e.thinkingMs)/e.timedMatches/1e3).toFixed(1)} s`}function zo(e){return e.filter(({
forfeit:n})=>n!==0).map(({botName:n,forfeit:r})=>`${n}: ${kl(r)}`).join(", ")}var mg=20;function Lr(e,t,n){return new he(async r=>{let{matches:s,nextPageToken:o}=await Ze().listLadderMatches({ladderId:e,botName:t,pageSize:mg,pageToken:r});
return{items:s,nextPageToken:o}},n)}function Ur(e){if(e.items.length!==0)return u`<h2 id="matches">Latest matches</h2><ul class="latest" aria-labelledby="matches">${e.
items.map(({match:t})=>t&&u`<li>
    <a href=${Pe(t.matchId)}>${t.seats.map(({botName:n},r)=>u`${r>0?" · ":""}<bdi>${A(n)}</bdi>`)}</a>
    ${t.annulment?u`<span class="tag warn" title=${A(t.annulment.detail)}>annulled</span>`:void 0}
    ${t.result&&zo(t.result.seats)?u`<small>forfeit by <bdi>${A(zo(t.result.seats))}</bdi></small>`:void 0}</li>`)}</ul>${e.more("Older matches")}`}function sn(e){let t=e.flatMap(o=>o?[o.eloLow,o.eloHigh]:[]).filter(Number.isFinite),[n,r]=[Math.min(0,...t),Math.max(0,...t)],s=Math.max(10,(r-n)*.04);return{low:n-
s,high:r+s}}function Br(e){return!e||e.rankBest===0?"–":e.rankBest===e.rankWorst?String(e.rankBest):`${e.rankBest}–${e.rankWorst}`}function on(e){if(!e)return"\
–";let t=Math.round((e.eloHigh-e.eloLow)/2),n=Math.round(e.elo);return`${n>0?"+":n<0?"−":""}${Math.abs(n)} ± ${t}`}function wr(e,{low:t,high:n}){let r=o=>(Math.
min(n,Math.max(t,o))-t)/(n-t)*200,s=e&&b`<path d="M${r(e.eloLow)} 12H${r(e.eloHigh)}" class="interval"/>
    <path d="M${r(e.elo)} 12h0.01" class="estimate"/>`;return u`<svg class="rating-bar" viewBox="0 0 200 24" preserveAspectRatio="none" role="img" aria-label=${on(
e)}>
    <path d="M${r(0)} 2V22" class="zero"/>${s}</svg>`}var Ho=800,jo=220,pg=50,_r=class{constructor(t,n,r){this.ladderId=t;this.botName=n;this.#t=new he(async s=>{let o=this.#e?.[0]?.standing?.botVersion??"",{entries:a,
nextPageToken:i}=await Ze().listHeadToHeads({ladderId:t,bot:{botName:n,botVersion:o},pageSize:pg,pageToken:s});return{items:a,nextPageToken:i}},r),this.#n=Lr(t,
n,r),this.#s().catch(s=>this.#r=W(s)).finally(r)}ladderId;botName;#e;#t;#n;#r;async#s(){let{ladderId:t,botName:n}=this;this.#e=(await Ze().getLadderBot({ladderId:t,
botName:n})).versions,await Promise.all([this.#t.read(),this.#n.read()])}view(){if(this.#r)return j(this.#r,"This bot cannot be shown");let t=this.#e;if(!t)return q(
"Loading the bot…");let n=sn(t.map(({standing:r})=>r?.rating));return u`<main class="list"><h1><bdi>${A(this.botName)}</bdi></h1>
      <p><a href=${Qe(this.ladderId)}>standings of <bdi>${A(this.ladderId)}</bdi></a> · <a href=${Et(this.botName)}>its matches</a></p>
      ${gg(t)}
      <table class="standings versions"><thead><tr><th>Version</th><th class="figure">Rank</th><th class="figure">Rating</th><th>Interval</th><th class="figure">Matches</th><th class="figure">Faults</th><th>Forfeits</th><th class="figure">Thinking per match</th></tr></thead><tbody>${t.
map(({standing:r})=>u`<tr>
        <th scope="row"><bdi>${A(r?.botVersion??"")}</bdi></th><td class="figure">${Br(r?.rating)}</td><td class="figure">${on(r?.rating)}</td>
        <td>${wr(r?.rating,n)}</td><td class="figure">${r?.rating?.matches??0}</td>
        <td class="figure">${r?.conduct?.faults??0}</td><td>${Xr(r?.conduct)}</td><td class="figure">${Xl(r?.conduct)}</td></tr>`)}</tbody></table>
      <h2>Head to head</h2><table class="standings"><thead><tr><th>Against</th><th class="figure">Matches</th><th class="figure">Ahead</th><th class="figure">Tied</th><th class="figure">Behind</th><th class="figure">Mean margin</th></tr></thead>
        <tbody>${this.#t.items.map(({against:r,headToHead:s})=>u`<tr><th scope="row"><a href=${Qe(this.ladderId,r?.botName??"")}><bdi>${A(r?.botName??"")}</bdi></a>
          <small><bdi>${A(r?.botVersion??"")}</bdi></small></th><td class="figure">${s?.matches??0}</td><td class="figure">${s?.firstAhead??0}</td>
          <td class="figure">${s?.ties??0}</td><td class="figure">${(s?.matches??0)-(s?.firstAhead??0)-(s?.ties??0)}</td>
          <td class="figure">${(s?.meanScoreMargin??0).toFixed(1)}</td></tr>`)}</tbody></table>${this.#t.more("More opponents")}${Ur(this.#n)}</main>`}};function gg(e){
let t=e.flatMap(d=>d.history);if(t.length<2)return u``;let n=t.map(({atUnixMs:d})=>Number(d)),[r,s]=[Math.min(...n),Math.max(...n)],{low:o,high:a}=sn(t.map(({rating:d})=>d)),
i=d=>((Number(d)-r)/Math.max(1,s-r)*Ho).toFixed(1),c=d=>(jo-(d-o)/(a-o)*jo).toFixed(1),l=(d,p)=>{let g=d.history.flatMap(({atUnixMs:y,rating:E})=>E?[{at:i(y),rating:E}]:
[]),f=g.map(({at:y,rating:E})=>`${y} ${c(E.eloHigh)}`),h=g.map(({at:y,rating:E})=>`${y} ${c(E.eloLow)}`).reverse();return g.length===0?b``:b`<g class=${le(p)}><title>${A(
d.standing?.botVersion??"")}</title>
      <path d="M${[...f,...h].join("L")}Z" class="band"/><path d="M${g.map(({at:y,rating:E})=>`${y} ${c(E.elo)}`).join("L")}" class="score-line"/>
      <text x=${Number(g.at(-1)?.at??0)-6} y=${Math.max(24,Number(c(g.at(-1)?.rating.elo??0))-10)} text-anchor="end" font-size="14" class="ink">${A(d.standing?.
botVersion??"").slice(0,24)}</text></g>`};return u`<figure class="panel history"><figcaption>Rating over time, by version</figcaption><svg viewBox="0 0 ${Ho} ${jo}" role="img"
    aria-label="rating over time"><path d="M0 ${c(0)}H${Ho}" class="axis"/><text x="2" y=${Number(c(0))-4} font-size="13" class="ink-soft">0</text>
    <text x="2" y="2" font-size="13" dominant-baseline="hanging" class="ink-soft">${Math.round(a)} Elo</text>${e.map(l)}</svg></figure>`}function we(e,t,n){let r=o=>{if(o.game.case!==t)throw new Error(`a message of ${o.game.case}`);return o.game.value},s=o=>r(o);return{id:e,entry:t,name:n.name,pointsName:n.
pointsName,board:o=>n.board({observation:s(o.observation),config:o.config?.game.case===t?r(o.config):void 0,events:o.events.map(a=>r(a)),frame:o.frame&&s(o.frame),
names:o.names,toDecide:n.toDecide(s(o.observation)),picking:o.picking}),status:o=>n.status(s(o)),toDecide:o=>n.toDecide(s(o)),points:o=>n.points(s(o)),notation:o=>n.
notation(r(o)),choices(o,a){let{observation:i,legalDecisions:c}=r(o),l=a?.game.case===t?r(a):void 0;return c.map(d=>n.steps(d,i,l))},continuesIn:(o,a)=>n.continuesIn?.(
s(o),s(a))??!0}}function L(e,t,n){let r=e?.keys.get(t);if(!(!e||r===void 0))return b`<g class="pick" data-pick=${t} @click=${()=>e.pick(t)}><title>${r}</title>${n}</g>`}function st(e,t){
return[...e?.keys.keys()??[]].filter(r=>r.startsWith(`${t}:`)).map(r=>({key:r,numbers:r.split(":").slice(1).map(Number)}))}var _e=[1,2,3,4],$r=[1,2,3,4,5,6];function B(e){return($o[e]??"?").toLowerCase()}function oe(e){return(Jo[e]??"?").toLowerCase()}function Jr(e,t){return e?.[B(t)]??
[]}var fg=["pavilions","seraglios","arcades","chambers","gardens","towers"];function Dr(e,t){let n=fg[t-1];return(n&&e?.[n])??[]}var hg={0:"",1:"M0-6A6 6 0 1 1-\
0.01-6ZM0-3A3 3 0 1 0 0.01-3Z",2:"M0-7L7 0L0 7L-7 0ZM0-3L-3 0L0 3L3 0Z",3:"M0-7L7 5.5H-7ZM0-1.8L-2.4 2.8H2.4Z",4:"M-5.5-5.5H5.5V5.5H-5.5ZM-2.4-2.4V2.4H2.4V-2.4Z"};
function an(e,t,n,r=1){return b`<path d=${hg[e]} fill-rule="evenodd" transform="translate(${t} ${n}) scale(${r})" class="a-coin"/>`}function Ll(e,t,n,r,s=1){return b`<g transform="translate(${n} ${r}) scale(${s})" class="a-${B(
e)}">
    <title>${B(e)} ${t}</title>
    <rect x="1" y="1" width="58" height="86" rx="7" class="a-card"/>
    <rect x="6" y="6" width="48" height="76" rx="4" class="a-card-inner"/>
    ${an(e,15,16,.95)}${an(e,45,72,.95)}
    <text x="30" y="57" text-anchor="middle" font-size="36" font-weight="700" class="a-value">${t}</text></g>`}function Ul(e,t,n,r){return b`<g transform="translate(${n} ${r})" class="a-${B(
e)}"><title>${B(e)} ${t}</title>
    <rect x="1" y="1" width="22" height="30" rx="4" class="a-card"/>${an(e,12,8,.62)}
    <text x="12" y="26.5" text-anchor="middle" font-size="15" font-weight="700" class="a-value">${t}</text></g>`}var bg={0:"",1:"M0-12C2-7 8-5 12-3V-1H-12V-3C-8\
-5-2-7 0-12ZM-11 0.5H-8.5V9H-11ZM-4 0.5H-2V9H-4ZM2 0.5H4V9H2ZM8.5 0.5H11V9H8.5ZM-12 9.5H12V12H-12Z",2:"M1.5-12A2.5 2.5 0 1 0 1.5-8A2 2 0 1 1 1.5-12ZM-6-1C-6-5-3\
-7 0-8.5C3-7 6-5 6-1ZM-12 1H-8V0H8V1H12V12H3V8A3 3 0 0 0-3 8V12H-12ZM-10 4V7H-7.5V4ZM7.5 4V7H10V4Z",3:"M-12-9H12V-5H-12ZM-12-4H12V11H9.5V2A2.7 2.7 0 0 0 4-1V11H\
2.7V2A2.7 2.7 0 0 0-2.7 2V11H-4V-1A2.7 2.7 0 0 0-9.5 2V11H-12Z",4:"M-9 12V-4A9 9 0 0 1 9-4V12ZM-6 9.5H-1V3H-6ZM1 9.5H6V3H1ZM-6 0.5H-1V-8.5A6.5 6.5 0 0 0-6-4ZM1 \
0.5H6V-4A6.5 6.5 0 0 0 1-8.5Z",5:"M-7-11C-4-8-3-4-3-1C-3 2-5 3-6 3V7H-8V3C-9 3-11 2-11-1C-11-4-10-8-7-11ZM5-8A5 5 0 0 1 10 1A4 4 0 0 1 6.5 3.5V7H4.5V3.5A4 4 0 0\
 1 0.5 0A5 5 0 0 1 5-8ZM-12 8.5Q-9 7-6 8.5T0 8.5T6 8.5T12 8.5V11.5H-12Z",6:"M-7-12H-4.5V-9.5H-1.5V-12H1.5V-9.5H4.5V-12H7V-5H5V12H2.5V7A2.5 2.5 0 0 0-2.5 7V12H-5\
V-5H-7ZM-1.2-2V2H1.2V-2Z"};function qo(e,t,n,r=1){return b`<path d=${bg[e]} fill-rule="evenodd" transform="translate(${t} ${n}) scale(${r})" class="a-picture"/>`}
function Bl({category:e,price:t},n,r){return b`<g transform="translate(${n} ${r})" class="a-${oe(e)}"><title>${oe(e)}, price ${t}</title>
    <rect x="1" y="1" width="74" height="94" rx="8" class="a-building"/>
    <path d="M8 70V34A30 26 0 0 1 68 34V70Z" class="a-window"/>
    ${qo(e,38,46,1.75)}
    <circle cx="17" cy="17" r="13" class="a-price"/><text x="17" y="23" text-anchor="middle" font-size="17" font-weight="700" class="a-price-text">${t}</text>
    <text x="38" y="87" text-anchor="middle" font-size=${oe(e).length>7?11.5:12.5} font-weight="600" class="a-name">${oe(e)}</text></g>`}function wl({yard:e},t){
return[e?.blue,e?.green,e?.orange,e?.yellow][_e.findIndex(n=>n===t)]}var me=100,cn=70;function yg({observation:e,events:t,picking:n}){let r=[e.yard?.blue,e.yard?.green,e.yard?.orange,e.yard?.yellow],s=new Set(t.flatMap(({event:a})=>a.
case==="buildingLaid"?[a.value.slot]:[])),o=new Map(t.flatMap(({event:a})=>a.case==="bought"?[[a.value.purchase?.slot,a.value.seat]]:[]));return u`<figure class="a-yard"><figcaption>Yard</figcaption><svg viewBox="0 0 ${4*
me} 146" role="img"
    aria-label="yard: ${r.map((a,i)=>`${B(_e[i]??0)}: ${a?`${oe(a.category)} for ${a.price}`:"empty"}`).join("; ")}">
    ${_e.map((a,i)=>{let c=r[i],l=o.get(a);return b`<g class="a-${B(a)}">
        <rect x=${i*me+3} y="2" width=${me-6} height="142" rx="10" class="a-slot"/>
        <text x=${i*me+38} y="136" font-size="14" class="a-slot-name">${B(a)}</text>
        ${an(a,i*me+23,131,1.1)}</g>
        ${c?Bl(c,i*me+12,12):b`<rect x=${i*me+14} y="14" width="72" height="92" rx="8" class="vacant"/>${l===void 0?void 0:b`<text x=${i*me+50} y="65" text-anchor="middle" font-size="13" class="ink-soft">to seat ${l}</text>`}`}
        ${s.has(a)?b`<rect x=${i*me+9} y="9" width="82" height="102" rx="11" class="new"/>`:void 0}
        ${L(n,`buy:${a}`,b`<rect x=${i*me+6} y="5" width=${me-12} height="136" rx="10"/>`)}`})}</svg></figure>`}function Sg({observation:e,events:t,picking:n}){
let r=t.flatMap(({event:s})=>s.case==="moneyOpened"&&s.value.card?[s.value.card]:[]);return u`<figure class="a-row"><figcaption>Open money</figcaption><svg viewBox="0 0 ${4*
cn} 146" role="img"
    aria-label="open money: ${e.row.map(s=>`${B(s.currency)} ${s.value}`).join(", ")||"none"}">
    ${Array.from({length:4},(s,o)=>{let a=e.row[o];if(!a)return b`<rect x=${o*cn+6} y="26" width="58" height="86" rx="7" class="vacant"/>`;let i=r.findIndex(c=>c.
currency===a.currency&&c.value===a.value);return i>=0&&r.splice(i,1),b`${Ll(a.currency,a.value,o*cn+5,25)}${i>=0?b`<rect x=${o*cn+2} y="22" width="66" height="94" rx="10" class="new"/>`:
void 0}
        ${L(n,`money:${a.currency}:${a.value}`,b`<rect x=${o*cn+3} y="23" width="64" height="92" rx="9"/>`)}`})}</svg></figure>`}function _l(e,t){if(!t)return u`<span class="a-scoring past" title="scoring ${e} is over"><b>${e}</b> scored</span>`;
let n=t.first===t.last?`under ${t.first}`:`under ${t.first} to ${t.last}`;return u`<span class="a-scoring" title="number of money cards above scoring card ${e}"><b>${e}</b> ${n}</span>`}
function Eg({observation:e}){let t=_e.reduce((s,o)=>s+Jr(e.unseenMoney,o).length,0),n=_e.reduce((s,o)=>s+Jr(e.discard,o).length,0),r=$r.reduce((s,o)=>s+Dr(e.unseenBuildings,
o).length,0);return u`<div class="a-piles"><span><b>${t}</b> money cards left</span><span><b>${n}</b> discarded</span>
    <span><b>${r}</b> buildings left</span>
    ${e.scoringCardA||e.scoringCardB?[_l("A",e.scoringCardA),_l("B",e.scoringCardB)]:u`<span class="a-scoring past"><b>A</b> and <b>B</b> scored</span>`}</div>`}
function Rg(e){return $r.map(t=>Math.max(...e.map(n=>Dr(n,t).length)))}var ea=e=>(e??[]).reduce((t,n)=>t+n,0);function $l(e,t,n){return u`<ul class="a-holdings">${$r.
map((r,s)=>{let o=Dr(e,r),a=o.length>0&&o.length===t[s],i=n.some(c=>c.category===r);return u`<li class="a-${oe(r)} ${a?"leads":""} ${i?"gained":""}" title="${oe(
r)}: ${o.join(", ")||"none"}${a?"; the most":""}">
      <svg viewBox="0 0 52 44" role="img" aria-label="${o.length} ${oe(r)}${a?", the most":""}">
        <rect x="1" y="1" width="50" height="42" rx="6" class=${o.length===0?"a-building a-none":"a-building"}/>
        ${qo(r,18,23,1.05)}
        <text x="41" y="30" text-anchor="middle" font-size="20" font-weight="700" class="a-name">${o.length}</text>
        ${a?b`<path d="M33 4L36 8L41 3L46 8L49 4V12H33Z" class="a-crown"/>`:void 0}</svg>
      <span>${o.length===0?"–":o.join(" ")}</span></li>`})}</ul>`}function Jl(e){let t=[["A",ea(e?.a)],["B",ea(e?.b)],["C",ea(e?.c)]];return u`<span class="a-points" title="points of the scorings A, B and C"><b>${t.
reduce((n,[,r])=>n+r,0)}</b> points
    <small>${t.map(([n,r])=>u`<span>${n} ${r}</span>`)}</small></span>`}function Ag(e,t){let n=_e.map(a=>Jr(e.hand,a));if(n.reduce((a,i)=>a+i.length,0)===0)return u`<p class="a-hand quiet">no money</p>`;
let s=[...t],o=(a,i)=>i.map((c,l)=>{let d=s.findIndex(p=>p.currency===a&&p.value===c);return d>=0&&s.splice(d,1),b`${Ul(a,c,l*25+2,2)}${d>=0?b`<rect x=${l*25+1} y="1" width="26" height="34" rx="6" class="new"/>`:
void 0}`});return u`<div class="a-hand">${_e.map((a,i)=>{let c=n[i]??[];if(c.length===0)return;let l=c.reduce((d,p)=>d+p,0);return u`<span class="a-purse"><svg viewBox="0 0 ${c.
length*25+4} 36" width=${c.length*25+4} height="36" role="img"
      aria-label="${B(a)}: ${c.join(", ")}">${o(a,c)}</svg><small title="${B(a)} in all">${l}</small></span>`})}</div>`}function Zg(e,t,n){let r=e.observation.seats[t],
s=e.events.flatMap(({event:a})=>a.case==="bought"&&a.value.seat===t&&!a.value.purchase?.give?a.value.building??[]:a.case==="buildingAllotted"&&a.value.seat===t?
a.value.building??[]:[]),o=e.events.flatMap(({event:a})=>a.case==="moneyTaken"&&a.value.seat===t?a.value.cards:[]);return u`<section class="panel a-seat ${e.toDecide.
includes(t)?"decides":""}">
    <header><h3>${F(t)} <bdi>${A(e.names[t]??"")}</bdi></h3>${Jl(r?.points)}</header>
    ${$l(r?.buildings,n,s)}${r?Ag(r,o):void 0}</section>`}function Vg(e,t){let n=e.observation.dummy;if(!n)return;let r=e.events.flatMap(({event:s})=>s.case==="\
dummyDrew"?s.value.buildings:s.case==="bought"&&s.value.purchase?.give?s.value.building??[]:[]);return u`<section class="panel a-seat a-dummy"><header><h3>Dummy</h3>${Jl(
n.points)}</header>${$l(n.buildings,t,r)}</section>`}function vg({turnPurchases:e}){if(e.length!==0)return u`<p class="a-purchases">bought in this turn: ${e.map(
({building:t,purchase:n})=>u`<span>${t?`${oe(t.category)} ${t.price}`:"?"}${n?.give?" for the dummy":""}</span>`)}</p>`}function Dl(e){let{observation:t}=e,n=Rg(
[...t.seats.map(r=>r.buildings),t.dummy?.buildings]);return u`<div class="board alhambra a-of-${t.seats.length+(t.dummy?1:0)}"><div class="panel a-market">${yg(
e)}${Sg(e)}${Eg(e)}${vg(t)}</div>
    ${t.seats.map((r,s)=>Zg(e,s,n))}${Vg(e,n)}</div>`}function Ol({phase:e,turnPurchases:t}){switch(e.case){case"turn":return t.length===0?`seat ${e.value.seat}\
 is on turn`:`seat ${e.value.seat} paid exactly and continues`;case"shuffle":return"the discard pile is being shuffled";default:return"the match is over"}}function Gg({currency:e,value:t}){return`${B(e).charAt(0)}${t}`}function Kl({decision:e}){switch(e.case){case"take":{let t=[...e.value.cards];return t.sort((n,r)=>n.
currency-r.currency||n.value-r.value),["take",...t.map(Gg)].join(" ")}case"buy":{let{slot:t,payment:n,give:r}=e.value,s=[...n].sort((o,a)=>a-o);return["buy",B(t),
...s,...r?["give"]:[]].join(" ")}case"pass":return"pass";default:return"?"}}var Pl=({currency:e,value:t})=>`${B(e)} ${t}`;function Ql({decision:e},t){switch(e.case){case"take":{let n=[...e.value.cards].sort((o,a)=>o.currency-a.currency||
o.value-a.value),[r]=n;if(n.length===1&&r)return[{key:`money:${r.currency}:${r.value}`,label:`take ${Pl(r)}`}];let s=n.map(Pl).join(" and ");return[{key:"severa\
l",label:"take several cards"},{key:s,label:s}]}case"buy":{let{slot:n,payment:r,give:s}=e.value,o=wl(t,n),a=o?`${oe(o.category)} for ${o.price}`:"?",i=[...r].sort(
(l,d)=>d-l),c=i.reduce((l,d)=>l+d,0)-(o?.price??0);return[{key:`buy:${n}`,label:`buy ${a} ${B(n)}`},s?{key:"give",label:"for the dummy"}:{key:"keep",label:"for \
yourself"},{key:`pay:${i.join(":")}`,label:`pay ${i.join(" + ")}${c===0?", exactly":`, overpaying by ${c}`}`}]}case"pass":return[{key:"pass",label:"pass"}];default:
return[{key:"?",label:"?"}]}}function xg(e){return[...e?.a??[],...e?.b??[],...e?.c??[]].reduce((t,n)=>t+n,0)}var zl=we("alhambra","alhambra",{name:"Alhambra: The Card Game",pointsName:"poin\
ts",board:Dl,status:Ol,notation:Kl,steps:Ql,toDecide:({phase:e})=>e.case==="turn"?[e.value.seat]:[],points:({seats:e})=>e.map(t=>xg(t.points))});var{I:Ig}=Mi,Hl=e=>e;var Or=e=>e.strings===void 0,jl=()=>document.createComment(""),Ft=(e,t,n)=>{let r=e._$AA.parentNode,s=t===void 0?e._$AB:t._$AA;if(n===void 0){let o=r.insertBefore(
jl(),s),a=r.insertBefore(jl(),s);n=new Ig(o,a,e,e.options)}else{let o=n._$AB.nextSibling,a=n._$AM,i=a!==e;if(i){let c;n._$AQ?.(e),n._$AM=e,n._$AP!==void 0&&(c=e.
_$AU)!==a._$AU&&n._$AP(c)}if(o!==s||i){let c=n._$AA;for(;c!==o;){let l=Hl(c).nextSibling;Hl(r).insertBefore(c,s),c=l}}}return n},$e=(e,t,n=e)=>(e._$AI(t,n),e),Ng={},
Kr=(e,t=Ng)=>e._$AH=t,ql=e=>e._$AH,Pr=e=>{e._$AR(),e._$AA.remove()};var pe={ATTRIBUTE:1,CHILD:2,PROPERTY:3,BOOLEAN_ATTRIBUTE:4,EVENT:5,ELEMENT:6},Fe=e=>(...t)=>({_$litDirective$:e,values:t}),Ve=class{constructor(t){}get _$AU(){return this.
_$AM._$AU}_$AT(t,n,r){this._$Ct=t,this._$AM=n,this._$Ci=r}_$AS(t,n){return this.update(t,n)}update(t,n){return this.render(...n)}};var ln=(e,t)=>{let n=e._$AN;if(n===void 0)return!1;for(let r of n)r._$AO?.(t,!1),ln(r,t);return!0},Qr=e=>{let t,n;do{if((t=e._$AM)===void 0)break;n=t._$AN,n.delete(
e),e=t}while(n?.size===0)},ed=e=>{for(let t;t=e._$AM;e=t){let n=t._$AN;if(n===void 0)t._$AN=n=new Set;else if(n.has(e))break;n.add(e),Yg(t)}};function Mg(e){this.
_$AN!==void 0?(Qr(this),this._$AM=e,ed(this)):this._$AM=e}function Fg(e,t=!1,n=0){let r=this._$AH,s=this._$AN;if(s!==void 0&&s.size!==0)if(t)if(Array.isArray(r))
for(let o=n;o<r.length;o++)ln(r[o],!1),Qr(r[o]);else r!=null&&(ln(r,!1),Qr(r));else ln(this,e)}var Yg=e=>{e.type==pe.CHILD&&(e._$AP??=Fg,e._$AQ??=Mg)},zr=class extends Ve{constructor(){
super(...arguments),this._$AN=void 0}_$AT(t,n,r){super._$AT(t,n,r),ed(this),this.isConnected=t._$AU}_$AO(t,n=!0){t!==this.isConnected&&(this.isConnected=t,t?this.
reconnected?.():this.disconnected?.()),n&&(ln(this,t),Qr(this))}setValue(t){if(Or(this._$Ct))this._$Ct._$AI(t,this);else{let n=[...this._$Ct._$AH];n[this._$Ci]=
t,this._$Ct._$AI(n,this,0)}}disconnected(){}reconnected(){}};var ta=new WeakMap,td=Fe(class extends zr{render(e){return C}update(e,[t]){let n=t!==this.G;return n&&this.rt(void 0),(n||this.lt!==this.ct)&&(this.G=t,this.ht=
e.options?.host,this.rt(this.ct=e.element)),C}rt(e){if(this.G!==void 0)if(this.isConnected||(e=void 0),typeof this.G=="function"){let t=this.ht??globalThis,n=ta.
get(t);n===void 0&&(n=new WeakMap,ta.set(t,n)),n.get(this.G)!==void 0&&this.G.call(this.ht,void 0),n.set(this.G,e),e!==void 0&&this.G.call(this.ht,e)}else this.
G.value=e}get lt(){return typeof this.G=="function"?ta.get(this.ht??globalThis)?.get(this.G):this.G?.value}disconnected(){this.lt===this.ct&&this.rt(void 0)}reconnected(){
this.rt(this.ct)}});function Hr(e,t,n){return u`<details class=${e} ${td(s=>{if(!(s instanceof HTMLDetailsElement))return;let o=s.querySelector("div"),a=()=>o&&_n(s.open?n():C,o);s.
ontoggle=a,s.open&&a()})}><summary>${t}</summary><div></div></details>`}function na(e){return(Ar[e]??"?").toLowerCase()}function nd(e){return(Zr[e]??"?").toLowerCase()}function ge({style:e,number:t,left:n,right:r}){return`${na(e)} ${t===
0?"toll":t} ${nd(n)} ${nd(r)}`}function ot(e){return e.case==="bridgeCard"?ge(e.value):e.case??"?"}function rd({decision:e}){switch(e.case){case"take":{let{card:t}=e.
value;return`take ${t.case==="bridgeCard"?ge(t.value):"monument"}`}case"place":return`place ${ot(e.value.piece)} at ${e.value.level} ${e.value.column}`;case"end":
return"end";default:return"?"}}var od={width:72,height:52},Wg={0:"",1:"M2 30Q36 52 70 30M2 46H70M12 35V46M24 39.5V46M36 41V46M48 39.5V46M60 35V46",2:"M2 34H70M2 46H70M2 46L13.3 34L24.6 46L36 \
34L47.3 46L58.6 34L70 46",3:"M2 46H70M36 27V46M36 28L4 46M36 28L68 46M36 32L14 46M36 32L58 46M36 37L24 46M36 37L48 46"},Cg={0:"",1:"M-8 0C-4-5 2-5 5 0L9-4V4L5 0\
C2 5-4 5-8 0ZM-4.5-1.2A1 1 0 1 0-4.49-1.2Z",2:"M-9-3C-5-6-2-4 0 0C2-4 5-6 9-3C5-3 2.5 0 0 5C-2.5 0-5-3-9-3Z",3:"M-0.5-8V2H-7ZM1-6L6 2H1ZM-9 3.5H9L6 8H-6Z"};function sd(e,t,n){
return b`<path d=${Cg[e]} fill-rule="evenodd" transform="translate(${t} ${n}) scale(0.92)" class="b-sign"/>`}function dn(e,t,n){let r=e.number===0;return b`<g transform="translate(${t} ${n})" class="b-${na(
e.style)}"><title>${ge(e)}</title>
    <rect x="1" y="1" width="70" height="50" rx="5" class="b-card"/>
    <path d=${Wg[e.style]} class="b-works"/>
    ${sd(e.left,12.5,15)}${sd(e.right,59.5,15)}
    <text x="36" y=${r?19:25} text-anchor="middle" font-size=${r?10.5:23} font-weight="700" class="b-number">${r?"TOLL":e.number}</text></g>`}function jr(e,t){return b`<g transform="translate(${e} ${t})"><title>monument</title><rect x="1" y="1" width="70" height="50" rx="5" class="b-plinth"/>
    <path d="M36 4L41 11V34H31V11ZM27 35H45V39H27ZM23 40H49V46H23Z" class="b-statue"/></g>`}function ra(e,t){return b`<g transform="translate(${e} ${t})"><title>pillar</title>
    <path d="M16 1H56V8H51V44H56V51H16V44H21V8H16Z" class="b-pillar"/>
    <path d="M21 17H51M21 26H51M21 35H51M36 8V17M29 17V26M43 17V26M36 26V35M29 35V44M43 35V44" class="b-joints"/></g>`}function ad({card:e},t,n){return e.case===
"bridgeCard"?dn(e.value,t,n):jr(t,n)}function id({piece:e},t,n){return e.case==="bridgeCard"?dn(e.value,t,n):e.case==="monument"?jr(t,n):ra(t,n)}function un(e){let t=new Map(e.map(r=>[`${r.level} ${r.column}`,r])),n=(r,s)=>t.get(`${r} ${s}`);return e.flatMap(({piece:r,level:s,column:o})=>{if(r.case!=="pi\
llar")return[];let a=[];for(let i=n(s,o+1);i;i=n(s,i.column+1)){if(i.piece.case==="pillar")return a.length>0?[{level:s,from:o+1,cards:a}]:[];a.push(i)}return[]})}
function qr(e){let t={numbers:0,tolls:0,monuments:0,symbols:0};for(let{level:n,cards:r}of e){let s=o=>{let a=r[o]?.piece;return a?.case==="bridgeCard"?a.value.number:
0};r.forEach(({piece:o},a)=>{if(o.case!=="bridgeCard"){t.monuments+=(s(a-1)+s(a+1))*n;return}t.numbers+=o.value.number*n;let i=a===0||a===r.length-1;o.value.number===
0&&i&&(t.tolls+=r.length*n);let c=r[a-1]?.piece;c?.case==="bridgeCard"&&c.value.right===o.value.left&&(t.symbols+=5)})}return t}var cd=3,Tg=9,kg=38,ld={0:["no contract",""],1:["Triple","a level-3 segment of 3 cards: 10, of 4 or more: 25"],2:["Spice of life","a segment of each style, of 3\
 cards or more, the longest of 4: 10, of 5 or more: 20"],3:["Longest mile","9 cards in level-1 segments: 10, and 5 for each more"],4:["Spanning the divide","a s\
egment of 5 cards: 10, of 6 or more: 25"],5:["Trial of the sea","three symbol pairs: 10, one of each symbol: 20"],6:["Double","a level-2 segment of 4 cards: 10,\
 of 5 or more: 25"]},Xg=e=>e.numbers+e.tolls+e.monuments+e.symbols+e.contract,Lg=(e,t)=>e.level===t?.level&&e.column===t.column;function Ug(e){let t=e.map(o=>o.
column),[n,r]=[Math.min(0,...t)-1,Math.max(0,...t)+1],s=Math.max(0,Tg-(r-n+1));return{left:n-Math.floor(s/2),count:r-n+1+s}}function Bg(e,t,n){let r=e.frame?.seats[t]?.
structure??[],s=e.picking?.seat===t?e.picking:void 0,o=st(s,"at").map(({key:y,numbers:[E=1,V=0]})=>({key:y,level:E,column:V})),{left:a,count:i}=Ug([...n.structure,
...r,...o]),{width:c,height:l}=od,d=(y,E)=>({x:(E-a)*c,y:(cd-y)*l+8}),p=cd*l+8,g=new Set(n.placed),f=e.events.flatMap(({event:y})=>y.case==="placed"&&y.value.seat===
t?[y.value.placement]:[]),h=un(n.structure);return u`<div class="b-scroll" tabindex="0" role="group" aria-label="structure of seat ${t}"><svg class="b-structure" width=${i*
kg} viewBox="0 0 ${i*c} ${p+34}" role="img"
      aria-label="structure of seat ${t}: ${n.structure.map(y=>`${ot(y.piece)} at ${y.level} ${y.column}`).join(", ")||"empty"}">
    <rect width=${i*c} height=${p} class="b-sky"/>
    ${[1,2].map(y=>b`<path d="M0 ${d(y,0).y}H${i*c}" class="b-level"/>`)}
    ${[1,2,3].map(y=>b`<text x="6" y=${d(y,0).y+17} font-size="13" class="ink-soft">×${y}</text>`)}
    <rect y=${p} width=${i*c} height="34" class="b-sea"/>
    <path d=${`M0 ${p+9}${"q12-6 24 0t24 0".repeat(Math.ceil(i*c/48))}`} class="b-wave"/>
    ${n.structure.length===0?b`<rect x=${d(1,0).x+2} y=${d(1,0).y+2} width=${c-4} height=${l-4} rx="5" class="vacant"/>`:void 0}
    ${n.structure.map(y=>{let{x:E,y:V}=d(y.level,y.column);return id(y,E,V)})}
    ${h.map(({level:y,from:E,cards:V})=>{let{x:Z,y:T}=d(y,E);return b`<path d="M${Z+3} ${T+l-2}H${Z+V.length*c-3}" class="b-segment"/>`})}
    ${n.structure.map((y,E)=>{let V=f.some(J=>Lg(y,J))||E===n.placed.at(-1);if(!V&&!g.has(E))return;let{x:Z,y:T}=d(y.level,y.column);return b`<rect x=${Z} y=${T} width=${c} height=${l} rx="7" class=${V?
"new":"b-secret"}/>`})}
    ${o.map(({key:y,level:E,column:V})=>{let{x:Z,y:T}=d(E,V);return L(s,y,b`<rect x=${Z+2} y=${T+2} width=${c-4} height=${l-4} rx="6"/>`)})}</svg></div>`}function wg(e,t,n){
if(e.length!==0)return u`<div class="b-hand"><span class="label">${t}</span><svg viewBox="0 0 ${e.length*76} 54" width=${e.length*76}
    height="54" role="img" aria-label="${t}: ${e.map(({card:r})=>r.case==="bridgeCard"?ge(r.value):"monument").join(", ")}">${e.map((r,s)=>b`${ad(r,s*76+1,1)}${L(
n,`piece:${ot(r.card)}`,b`<rect x=${s*76+2} y="2" width="70" height="50" rx="6"/>`)}`)}</svg></div>`}function _g(e,t,n){let{observation:r}=e,s=qr(un(n.structure)),
o=s.numbers+s.tolls+s.monuments+s.symbols,a=r.results.filter(c=>c.winner===t).length,i=r.phase.case==="build";return u`<section class="panel b-seat ${e.toDecide.
includes(t)?"decides":""}">
    <header><h3>${F(t)} <bdi>${A(e.names[t]??"")}</bdi></h3>
      <span title="points of its segments, without the contract"><b>${o}</b> points <small><span>numbers ${s.numbers}</span><span>tolls ${s.tolls}</span><span>monuments ${s.
monuments}</span><span>symbols ${s.symbols}</span></small></span>
      <span><b>${a}</b> ${a===1?"game":"games"} won</span>
      <span class="b-pillars" title="${n.pillars} pillars left"><svg viewBox="0 0 132 30" width="110" height="25" role="img" aria-label="${n.pillars} pillars left">${Array.
from({length:6},(c,l)=>b`<g transform="translate(${l*22-9}) scale(0.55)" opacity=${l<n.pillars?1:.18}>${ra(0,0)}</g>`)}</svg></span>
      ${i&&n.hasEnded?u`<span class="tag">done building</span>`:void 0}
      ${r.phase.case==="draft"&&r.firstDrafter===t?u`<span class="tag">drafts first</span>`:void 0}
    </header>
    ${Bg(e,t,n)}${wg(n.cards,"cards",e.picking?.seat===t?e.picking:void 0)}</section>`}function $g(e){let{observation:t}=e,[n,r]=ld[t.contract],s=t.open,o=Math.
max(6,s.length),a=t.phase.case==="build",i=e.events.flatMap(({event:c})=>c.case==="taken"?[c.value.seat]:[]);return u`<div class="panel b-table"><div class="b-contract"><span class="label">game ${t.
game}, round ${t.round}</span>
      <h3>${n}</h3><p>${r}</p></div>
    <div class="b-draft"><svg viewBox="0 0 ${o*76+84} 60" role="img"
      aria-label="${a?"next cards":"on the table"}: ${s.map(ge).join(", ")||"no cards"}; ${t.monuments} monuments">
      ${Array.from({length:o},(c,l)=>{let d=s[l];return d?b`${dn(d,l*76+2,4)}${L(e.picking,`take:${ge(d)}`,b`<rect x=${l*76+3} y="5" width="70" height="50" rx="6"/>`)}`:
t.phase.case!=="draft"?void 0:b`<rect x=${l*76+4} y="6" width="68" height="48" rx="5" class="vacant"/>`})}
      ${t.phase.case!=="draft"&&s.length===0?b`<text x=${o*38} y="34" text-anchor="middle" font-size="17" class="b-count">${a?"both seats build in secret":"the \
match is over"}</text>`:void 0}
      ${Array.from({length:t.monuments},(c,l)=>jr(o*76+2+l*4,4-l))}
      ${t.monuments>0?b`<text x=${o*76+64} y="20" font-size="13" font-weight="700" text-anchor="middle" class="b-count">×${t.monuments}</text>`:void 0}
      ${L(e.picking,"take:monument",b`<rect x=${o*76+2} y="3" width="74" height="54" rx="6"/>`)}</svg>
      ${a&&s.length>0?u`<p class="quiet">both seats build in secret; these are the cards of the next round</p>`:void 0}
      ${i.length>0?u`<p class="quiet">seat ${i[0]} took a card</p>`:void 0}</div>
    ${Hr("b-unseen",`${t.unseen.length} cards left`,()=>u`${t.unseen.map(c=>u`<svg viewBox="0 0 74 54" width="60" height="44" role="img" aria-label=${ge(c)}>${dn(
c,1,1)}</svg>`)}`)}</div>`}function Jg({results:e}){if(e.length!==0)return u`<table class="panel b-results"><caption>Games that are over</caption><thead><tr><th>game</th><th>contract</th><th>${F(
0)} seat 0</th><th>${F(1)} seat 1</th></tr></thead>
    <tbody>${e.map((t,n)=>u`<tr><th scope="row">${n}</th><td>${ld[t.contract][0]}</td>${t.scores.map((r,s)=>u`<td
      class=${t.winner===s?"won":""} title="numbers ${r.numbers}, tolls ${r.tolls}, monuments ${r.monuments}, symbols ${r.symbols}, contract ${r.contract}">${Xg(
r)}${t.winner===s?" ✓":""}</td>`)}</tr>`)}</tbody></table>`}function dd(e){let{observation:t}=e;return u`<div class="board nowhere">${$g(e)}${t.seats.map((n,r)=>_g(
e,r,n))}${Jg(t)}</div>`}function ud({phase:e,game:t,round:n}){let r=`game ${t}, round ${n}`;switch(e.case){case"draft":return`${r}: seat ${e.value.seat} takes a\
 card`;case"build":return`${r}: both seats build in secret`;default:return"the match is over"}}function md({decision:e}){switch(e.case){case"take":{let{card:t}=e.value,n=t.case==="bridgeCard"?ge(t.value):"monument";return[{key:`take:${n}`,label:`take ${n}`}]}case"\
place":{let{piece:t,level:n,column:r}=e.value;return[{key:`piece:${ot(t)}`,label:`place ${ot(t)}`},{key:`at:${n}:${r}`,label:`on level ${n}, column ${r}`}]}case"\
end":return[{key:"end",label:"end building"}];default:return[{key:"?",label:"?"}]}}var pd=we("bridges_to_nowhere","bridgesToNowhere",{name:"Bridges to Nowhere",pointsName:"points of all games",board:dd,status:ud,notation:rd,steps:md,toDecide({
phase:e,seats:t}){return e.case==="draft"?[e.value.seat]:e.case==="build"?t.flatMap((n,r)=>n.hasEnded?[]:[r]):[]},continuesIn:(e,t)=>e.game===t.game,points({phase:e,
results:t,seats:n}){return n.map((r,s)=>{let o=t.reduce((i,{scores:c})=>{let l=c[s];return i+(l?l.numbers+l.tolls+l.monuments+l.symbols+l.contract:0)},0);if(e.case===
"over")return o;let a=qr(un(r.structure));return o+a.numbers+a.tolls+a.monuments+a.symbols})}});var Dg={},ae=Fe(class extends Ve{constructor(){super(...arguments),this.ot=Dg}render(e,t){return t()}update(e,[t,n]){if(Array.isArray(t)){if(Array.isArray(this.
ot)&&this.ot.length===t.length&&t.every((r,s)=>r===this.ot[s]))return D}else if(this.ot===t)return D;return this.ot=Array.isArray(t)?Array.from(t):t,this.render(
t,n)}});var ve=[50,50],mn=[[50,0],[100,50],[50,100],[0,50]],Ye=[[0,0],[100,0],[100,100],[0,100]],Og=6,at=5;function Je(e,t){return t>=25?e?.edition?.tiles[t-25]:e?.baseTiles[t-
1]?.tile}function We(e){return xr[e]??String(e)}function Yt(e,t,n){let r=[];for(let s=0;s<=12;s++){let o=s/12,[a,i,c]=[(1-o)*(1-o),2*o*(1-o),o*o];r.push([a*e[0]+
i*t[0]+c*n[0],a*e[1]+i*t[1]+c*n[1]])}return r}var sa=e=>e-1,Kg=e=>e-1,ee=(e,t)=>e[(t%4+4)%4]??ve;function Pg(e){let t=s=>e.includes((s%4+4)%4);if(e.length===4)return[
...Ye];let[n]=e;if(e.length===1&&n!==void 0){let[s,o,a]=[ee(Ye,n),ee(Ye,n+1),ee(mn,n)],i=[a[0]+(50-a[0])*1.28,a[1]+(50-a[1])*1.28];return[s,o,...Yt(o,i,s).slice(
1,-1)]}let r=[];for(let s=0;s<4;s++){let[o,a]=[ee(Ye,s),ee(Ye,s+1)];if(r.push(o),t(s))continue;if(t(s-1)&&t(s+1)){let c=ee(mn,s),l=e.length===3?.72:.9,d=[c[0]+(50-
c[0])*l,c[1]+(50-c[1])*l];r.push(...Yt(o,d,a).slice(1,-1))}else if(t(s-1)){let c=ee(Ye,s+2);r.push(...Yt(o,[50+(50-a[0])*.16,50+(50-a[1])*.16],c).slice(1,-1)),s+=
1}}if(!t(3)&&!t(0)&&t(1)&&t(2)){let[s,o]=[ee(Ye,1),ee(Ye,3)];return[s,ee(Ye,2),o,...Yt(o,[58,58],s).slice(1,-1)]}return r}function pn([e,t],n){let r=!1;for(let s=0,
o=n.length-1;s<n.length;o=s++){let[a,i]=[n[s]??ve,n[o]??ve];a[1]>t!=i[1]>t&&e<(i[0]-a[0])*(t-a[1])/(i[1]-a[1])+a[0]&&(r=!r)}return r}function hd(e,t){return Math.
hypot(e[0]-t[0],e[1]-t[1])}function oa(e,t,n){let r,s=-1/0;for(let o of e){let[a,i]=o,c=Math.min(a,i,100-a,100-i)+4,l=Math.min(c,22)**2,d=Math.max(0,s)**2;for(let[
g,f]of t)if(l=Math.min(l,(a-g)**2+(i-f)**2),l<d)break;let p=Math.sqrt(l)-(n?hd(o,n)*.05:0);p>s&&([r,s]=[o,p])}return r}var es=Array.from({length:(100/at)**2},(e,t)=>{
let n=100/at;return[(t%n+.5)*at,(Math.floor(t/n)+.5)*at]});function Qg(e){return e.cities.map(({edges:t,shield:n})=>{let r=t.map(sa),s=Pg(r),o=[],a=[];for(let d of es)
(pn(d,s)?o:a).push(d);let i=oa(o,a,ve)??ve,c=o.filter(d=>hd(d,i)>26),l=oa(c,a)??i;return{edges:r,outline:s,shield:n,stand:i,crest:l}})}function zg(e,t){let n=e.
roads.filter(r=>r.edges.length===1).length;return e.roads.map(r=>{let s=r.edges.map(sa),[o=0,a]=s,i=ee(mn,o);if(a!==void 0){let g=ee(mn,a),f=(a-o)%2===0?[i,g]:Yt(
i,Hg(i,g),g),h=f.length===2?ve:f[6]??ve;return{edges:s,path:f,stand:h,end:void 0,gate:void 0}}let c=r.drawbridge!==0,l=c?t.findIndex(g=>g.edges[0]===sa(r.drawbridge)):
n===1&&!e.monastery&&t.length===1?0:-1,d=t[l];if(d){let g=jg(i,d,e.cities.length>1),f=g[g.length-1]??i,h=g[g.length-2]??i,y=Math.atan2(f[1]-h[1],f[0]-h[0])*180/
Math.PI,E=g[Math.floor(g.length*.45)]??i;return{edges:s,path:g,stand:E,end:c?"drawbridge":"wall",gate:{at:f,degrees:y,city:l}}}let p=[i[0]+(50-i[0])*.42,i[1]+(50-
i[1])*.42];return{edges:s,path:[i,ve],stand:p,end:e.monastery?"monastery":"village",gate:void 0}})}function Hg(e,t){let n=[e[0]===50?t[0]:e[0],e[1]===50?t[1]:e[1]];
return[50+(n[0]-50)*.12,50+(n[1]-50)*.12]}function jg(e,t,n){let r=t.stand;if(t.edges.length===1){let c=ee(mn,t.edges[0]??0),l=n?0:.06;r=[c[0]+(e[0]-50)*l,c[1]+
(e[1]-50)*l]}let s=[e[0]+(50-e[0])*.62,e[1]+(50-e[1])*.62],o=[],a=Yt(e,s,r);for(let c=0;c+1<a.length;c++){let[l,d]=[a[c]??e,a[c+1]??e];for(let p=0;p<4;p++)o.push(
[l[0]+(d[0]-l[0])*p/4,l[1]+(d[1]-l[1])*p/4])}let i=o.findIndex(c=>pn(c,t.outline));return i<1?[e,r]:o.slice(0,i+1)}function gd(e){let t=e%2===0?25:75;return[[t,
3],[97,t],[100-t,97],[3,100-t]][e>>1]??ve}function qg(e,t,n){let r=n.flatMap(c=>ef(c.path)),s=c=>!t.some(l=>pn(c,l.outline))&&!r.some(l=>(c[0]-l[0])**2+(c[1]-l[1])**
2<Og**2),o=new Set(es.map((c,l)=>s(c)?l:-1).filter(c=>c>=0)),a=100/at,i=[...r,...e.monastery?[ve]:[]];return e.fields.map(c=>{let l=c.halfEdges.map(Kg),d=new Set,
p=l.map(y=>{let[E,V]=gd(y);return Math.min(a-1,Math.floor(V/at))*a+Math.min(a-1,Math.floor(E/at))});for(let y=p.pop();y!==void 0;y=p.pop())d.has(y)||!o.has(y)||
(d.add(y),y%a>0&&p.push(y-1),y%a<a-1&&p.push(y+1),p.push(y-a,y+a));let g=es.filter((y,E)=>d.has(E)),f=es.filter((y,E)=>!d.has(E)).concat(i),[h=0]=l;return{halfEdges:l,
stand:oa(g,f)??gd(h)}})}function ef(e){return e.slice(1).flatMap((t,n)=>{let r=e[n]??t;return[0,.125,.25,.375,.5,.625,.75,.875,1].map(s=>[r[0]+(t[0]-r[0])*s,r[1]+
(t[1]-r[1])*s])})}var fd=new WeakMap;function it(e){let t=fd.get(e);if(!t){let n=Qg(e),r=zg(e,n),s=r.some(a=>a.end==="village"),o;t={cities:n,roads:r,get fields(){
return o??=qg(e,n,r)},monastery:e.monastery,village:s},fd.set(e,t)}return t}function bd([e,t],n){let r=[e,t];for(let s=0;s<n%4;s++)r=[100-r[1],r[0]];return r}function ts(e,t,n){
let r=n/4;return Math.min(...e.map(s=>(s+t*r)%n))}var tf=[[0,-1],[1,0],[0,1],[-1,0]];function yd(e,t){let n=[],r=c=>{let l=c;for(let d=n[l];d!==void 0&&d!==l;d=n[l])l=d;return n[c]=l,l},s=new Set,o=new Map,a=e.
map(c=>{let l=Je(t,c.tile);return(l?it(l).cities:[]).map(d=>{let p=n.push(n.length)-1;for(let g of d.edges)o.set(`${c.x} ${c.y} ${(g+c.rotation)%4}`,p);return p})}),
i=[];for(let[c,l]of o){let[d=0,p=0,g=0]=c.split(" ").map(Number),[f,h]=tf[g]??[0,0],y=o.get(`${d+f} ${p+h} ${(g+2)%4}`);y===void 0?i.push(l):n[r(l)]=r(y)}for(let c of i)
s.add(r(c));return a.map(c=>c.map(l=>!s.has(r(l))))}function nf(e){return(xt[e]??"?").charAt(0).toLowerCase()}function ns(e){let[t="?",n,r]=(It[e]??"?").toLowerCase().split("_");return n?`${t} ${n.charAt(0)}${r?r.
charAt(0):""}`:t}function Sd({decision:e}){switch(e.case){case"place":return`place ${e.value.x} ${e.value.y} ${e.value.rotation}`;case"meeple":{let{choice:t}=e.
value;return t.case==="segment"?`meeple ${ns(t.value)}`:"meeple none"}case"drawbridge":{let{choice:t}=e.value;return t.case!=="gate"?"drawbridge home":`drawbrid\
ge ${t.value.x} ${t.value.y} ${nf(t.value.city)}`}default:return"?"}}function rs(e,t){return`M${e.map(([r,s])=>`${Math.round(r*10)/10} ${Math.round(s*10)/10}`).join("L")}${t?"Z":""}`}function rf(e){let t=rs(e.path,!1);return b`<path d=${t} class="c-road-edge"/><path d=${t} class="c-road"/>`}
function sf(e){let t=[],n=(a,i)=>a[0]===i[0]&&(a[0]===0||a[0]===100)||a[1]===i[1]&&(a[1]===0||a[1]===100),r=[],s=()=>{r.length>1&&t.push(b`<path d=${rs(r,!1)} class="c-wall"/><path
      d=${rs(r,!1)} class="c-battlements"/>`),r=[]},o=e.outline;return o.forEach((a,i)=>{let c=o[(i+1)%o.length]??a;if(n(a,c))return s();r.length===0&&r.push(a),
r.push(c)}),s(),t}var of=[[-17,-5],[15,-8],[-10,9],[17,8],[2,-16],[3,17],[-24,7],[27,-2]];function af(e,t){let{stand:n,crest:r,outline:s,shield:o}=e,a=[s.reduce(
(c,[l])=>c+l,0)/s.length,s.reduce((c,[,l])=>c+l,0)/s.length],i=c=>[[-7,-6],[7,-6],[7,7],[-7,7]].every(([d,p])=>pn([c[0]+d,c[1]+p],s));return of.map(([c,l])=>[(a[0]+
n[0])/2+c,(a[1]+n[1])/2+l]).filter(c=>i(c)&&(!o||Math.hypot(c[0]-r[0],c[1]-r[1])>14)).map(([c,l],d)=>b`<g transform="translate(${c} ${l}) rotate(${-90*t})">
      <path d="M-5 0V5H5V0" class="c-house"/><path d="M-6.5 0.5L0-5L6.5 0.5Z"
        class=${d%2===0?"c-roof":"c-roof-2"}/></g>`)}function cf([e,t],n){return b`<g transform="translate(${e} ${t}) rotate(${-90*n})">
    <path d="M-7-8H7V1C7 6 3 8.5 0 10C-3 8.5-7 6-7 1Z" class="c-crest"/>
    <path d="M0-8V10M-7-1H7" class="c-crest-cross"/></g>`}function lf(e){return b`<g transform="translate(50 50) rotate(${-90*e})">
    <ellipse cy="13" rx="25" ry="9" class="c-yard"/>
    <path d="M-19 14V-3H5V14Z" class="c-cloister"/><path d="M-22-2L-7-14L8-2Z" class="c-roof"/>
    <path d="M5 14V-10H18V14Z" class="c-cloister"/><path d="M3-9L11.5-23L20-9Z" class="c-roof"/>
    <path d="M11.5-30V-22M8.5-27H14.5" class="c-cross"/>
    <path d="M-9 14V7A2.5 2.5 0 0 1-4 7V14M9 14V7A2.5 2.5 0 0 1 14 7V14" class="c-door"/></g>`}function df(e){return b`<g transform="translate(50 50) rotate(${-90*
e})">
    <circle r="13" class="c-yard"/>
    <path d="M-9 7V0H0V7Z" class="c-house"/><path d="M-10.5 0.5L-4.5-5L1.5 0.5Z" class="c-roof"/>
    <path d="M1 5V-3H9V5Z" class="c-house"/><path d="M-0.5-2.5L5-8L10.5-2.5Z" class="c-roof-2"/></g>`}function uf(e,t){if(!e.gate)return;let{at:n,degrees:r}=e.gate,
s=b`<path d="M-3-9H6V9H-3Z" class="c-gate"/><path d="M-3-4.5H6V4.5H-3Z" class="c-door"/>`,o=t?b`<path d="M-19-5.5H-3V5.5H-19Z" class="c-bridge"/>
        <path d="M-15-5.5V5.5M-11-5.5V5.5M-7-5.5V5.5" class="c-planks"/>
        <path d="M-18-5.5L0-8M-18 5.5L0 8" class="c-chain"/>`:b`<path d="M-7-6.5H-3V6.5H-7Z" class="c-bridge"/>
        <path d="M-7-2.2H-3M-7 2.2H-3" class="c-planks"/>
        <path d="M-18-6V6M-15-6V6" class="c-moat"/>`;return b`<g transform="translate(${n[0]} ${n[1]}) rotate(${r})">${e.end==="drawbridge"?[o,s]:s}</g>`}function gn(e,t,n=[]){
let r=it(e);return b`<g transform="rotate(${90*t} 50 50)">
    <path d="M0 0H100V100H0Z" class="c-field"/>
    <path d=${mf} class="c-grass"/>
    ${r.roads.map(rf)}
    ${r.cities.map(s=>b`<path d=${rs(s.outline,!0)} class="c-city"/>${sf(s)}${af(s,t)}`)}
    ${r.village?df(t):void 0}
    ${r.monastery?lf(t):void 0}
    ${r.roads.map((s,o)=>uf(s,n[o]??!0))}
    ${r.cities.map(s=>s.shield?cf(s.crest,t):void 0)}
  </g>`}var mf="M12 14l3-5 3 5M80 22l3-5 3 5M28 78l3-5 3 5M74 84l3-5 3 5M14 56l3-5 3 5M86 62l3-5 3 5M44 20l3-5 3 5";var pf=7,gf=5,ff=8;function hf(e){let t=e.map(l=>l.x),n=e.map(l=>l.y),[r,s]=[Math.min(0,...t)-.5,Math.max(0,...t)+1.5],[o,a]=[Math.min(0,...n)-.5,Math.max(0,...n)+
1.5],i=Math.max(0,pf-(s-r))/2,c=Math.max(0,gf-(a-o))/2;return[r,s,o,a]=[r-i,s+i,o-c,a+c],{left:r,top:o,width:s-r,height:a-o}}function Rd(e,t,n){let r=Je(e,t.tile);
if(!r||n===9)return{at:[50,58],lies:!1};let s=it(r),o=n>=10,a=o?s.fields.find(i=>ts(i.halfEdges,t.rotation,8)===n-10):n>=5?s.cities.find(i=>ts(i.edges,t.rotation,
4)===n-5):s.roads.find(i=>ts(i.edges,t.rotation,4)===n-1);return{at:bd(a?.stand??[50,50],t.rotation),lies:o}}function bf(e,t){let n=e.observation.tiles.find(d=>d.
x===t.x&&d.y===t.y);if(!n)return;let{at:r,lies:s}=Rd(e.config,n,t.segment),o=e.observation.meeples.filter(d=>d.x===t.x&&d.y===t.y&&d.segment===t.segment),a=(o.indexOf(
t)-(o.length-1)/2)*26,i=e.events.some(({event:d})=>d.case==="meeplePlaced"&&d.value.x===t.x&&d.value.y===t.y&&d.value.segment===t.segment||d.case==="meepleSent"&&
d.value.seat===t.seat&&d.value.gate?.x===t.x&&d.value.gate.y===t.y),[c,l]=[t.x*100+r[0]+a,t.y*100+r[1]];return b`<g><title>meeple of seat ${t.seat}, ${ns(t.segment)}</title>
    ${i?b`<circle cx=${c} cy=${l} r="25" class="c-new-meeple"/>`:void 0}
    ${Hs(t.seat,c,l,1.5,s)}</g>`}function Ad(e){return b`<path d="M0 0H100V100H0Z" class="c-field"/><text x="50" y="62" text-anchor="middle"
    font-size="34" class="ink">${We(e)}</text>`}function yf({picking:e,observation:t,config:n}){let r=t.tiles.at(-1);return[...st(e,"cell").map(({key:s,numbers:[
o=0,a=0]})=>L(e,s,b`<rect x=${o*100+5} y=${a*100+5} width="90" height="90" rx="8"/>`)),...st(e,"meeple").map(({key:s,numbers:[o=0]})=>{if(!r)return;let{at:a}=Rd(
n,r,o);return L(e,s,b`<circle cx=${r.x*100+a[0]} cy=${r.y*100+a[1]} r="13"/>`)}),...st(e,"gate").map(({key:s,numbers:[o=0,a=0]})=>L(e,s,b`<rect x=${o*100+5} y=${a*
100+5} width="90" height="90" rx="8"/>`))]}function Sf(e){let{observation:t,config:n,frame:r}=e,s=st(e.picking,"cell").map(({numbers:[g=0,f=0]})=>({x:g,y:f})),o=r?.
tiles.slice(0,2**Math.ceil(Math.log2(Math.max(ff,t.tiles.length))))??[],a=hf([...t.tiles,...o,...s]),i=yd(t.tiles,n),c=e.events.map(({event:g})=>g.case==="tileP\
laced"?g.value:void 0),l=c.find(g=>g)?.placement??t.tiles.at(-1),d=c.find(g=>g)?.seat,p=e.events.flatMap(({event:g})=>g.case==="scored"&&g.value.points>0?[g.value]:
[]);return u`<svg class="c-map" viewBox="${a.left*100} ${a.top*100} ${a.width*100} ${a.height*100}"
      role="img" aria-label="the map, ${t.tiles.length} tiles, ${t.meeples.length} meeples">
    ${t.tiles.map((g,f)=>{let h=Je(n,g.tile),E=(h&&it(h))?.roads.map(V=>!V.gate||!i[f]?.[V.gate.city])??[];return b`<g transform="translate(${g.x*100} ${g.y*100})">
        ${ae([g.x,g.y,g.rotation,h??g.tile,E.join()],()=>b`<title>${We(g.tile)} at (${g.x}, ${g.y}), rotation ${g.rotation}</title>
        ${h?gn(h,g.rotation,E):Ad(g.tile)}
        <path d="M0 0H100V100H0Z" class="c-tile-edge"/>`)}</g>`})}
    ${l?b`<rect x=${l.x*100+2} y=${l.y*100+2} width="96" height="96" rx="5"
      class="c-last ${d===void 0?"":le(d)}"/>`:void 0}
    ${t.meeples.map(g=>bf(e,g))}
    ${p.map(g=>b`<g transform="translate(${g.x*100+78} ${g.y*100+22})">
      <title>${ns(g.segment)} scores ${g.points}</title>
      <circle r="17" class="c-points ${g.seats[0]===void 0?"":le(g.seats[0])}"/>
      <text y="6.5" text-anchor="middle" font-size="18" font-weight="700" fill="#fff">+${g.points}</text></g>`)}
    ${yf(e)}
  </svg>`}function Ed(e,t,n){let r=Je(e,t);return u`<svg class="c-miniature" viewBox="0 0 100 100" role="img" aria-label=${n}>
    ${ae([r??t],()=>b`${r?gn(r,0):Ad(t)}<path d="M0 0H100V100H0Z" class="c-tile-edge"/>`)}</svg>`}function Ef(e){let{observation:t,config:n}=e,r=t.unseen.reduce(
(a,i)=>a+i,0),{phase:s}=t,o=s.case==="placeTile"?s.value.tile:void 0;return u`<div class="c-side">
    ${o===void 0?void 0:u`<figure class="c-drawn">${Ed(n,o,`drawn tile ${We(o)}`)}
      <figcaption>seat ${t.turnSeat} lays <b>${We(o)}</b></figcaption></figure>`}
    ${s.case==="drawbridge"?u`<ul class="c-crossings">${s.value.crossings.map(a=>u`<li>${F(a.seat)} ${a.meeples} ${a.meeples===1?"meeple waits":"meeples wait"} at a drawbridge</li>`)}</ul>`:
void 0}
    ${Rf(e)}
    ${Hr("c-unseen",`${r} tiles left`,()=>u`<ul>${t.unseen.map((a,i)=>a===0?void 0:u`<li>
        ${Ed(n,1+i,`tile ${We(1+i)}`)}
        <span>${a}×${We(1+i)}</span></li>`)}</ul>`)}
    ${t.removed.length===0?void 0:u`<p class="quiet">could not be placed: ${t.removed.map(We).join(", ")}</p>`}
  </div>`}function Rf({observation:e,names:t,toDecide:n}){return u`<table class="c-seats"><thead><tr><th>seat</th><th>points</th><th title="points of completed roads">roads</th>
      <th title="points of completed cities">cities</th><th title="points of monasteries">monasteries</th></tr></thead>
    <tbody>${e.seats.map((r,s)=>u`<tr class=${n.includes(s)?"decides":""}>
      <th scope="row">${F(s)} <bdi>${A(t[s]??"")}</bdi></th>
      <td class="total">${r.roadPoints+r.cityPoints+r.monasteryPoints}</td><td>${r.roadPoints}</td>
      <td>${r.cityPoints}</td><td>${r.monasteryPoints}</td></tr>
      <tr class="c-supply ${n.includes(s)?"decides":""}"><td colspan="5">
        <svg viewBox="0 0 224 28" role="img" aria-label="${r.supply} meeples in the supply">${Array.from({length:7},(o,a)=>a<r.supply?Hs(s,16+a*32,14,.9):b`<circle cx=${16+
a*32} cy="14" r="3" class="c-away"/>`)}</svg></td></tr>`)}</tbody></table>`}function Zd(e){return u`<div class="board carcassonne"><div class="felt c-table"><label class="c-zoom" title="enlarge the map"><input type="checkbox" aria-label="enlarge the map"><span aria-hidden="true">⤢</span></label>
    <div class="c-scroll" tabindex="-1">${Sf(e)}</div></div>${Ef(e)}</div>`}function Vd({phase:e,turnSeat:t,tiles:n}){let r=`tile ${n.length}`;switch(e.case){case"\
placeTile":return`${r}: seat ${t} lays ${We(e.value.tile)}`;case"placeMeeple":return`${r}: seat ${t} may place a meeple`;case"drawbridge":return`${r}: seat ${e.
value.crossings[0]?.seat??"?"} decides at a drawbridge`;default:return"the match is over"}}var Af=["as it was drawn","turned right","turned around","turned left"];function Zf(e,{phase:t},n){let r=t.case==="placeTile"?Je(e,t.value.tile):void 0;return r?
{picture:u`<svg viewBox="0 0 100 100" aria-hidden="true">${gn(r,n)}</svg>`}:{}}function Vf(e){let[t="?",n,r]=(It[e]??"?").toLowerCase().split("_");return`${t}${n?
` in the ${n}`:""}${r?`, ${r}`:""}`}function vd({decision:e},t,n){switch(e.case){case"place":{let{x:r,y:s,rotation:o}=e.value;return[{key:`cell:${r}:${s}`,label:`\
place it at (${r}, ${s})`},{key:`turn:${o}`,label:Af[o]??"?",...Zf(n,t,o)}]}case"meeple":{let{choice:r}=e.value;return r.case==="segment"?[{key:`meeple:${r.value}`,
label:`a meeple on the ${Vf(r.value)}`}]:[{key:"none",label:"no meeple"}]}case"drawbridge":{let{choice:r}=e.value;if(r.case!=="gate")return[{key:"home",label:"t\
ake the meeple home"}];let{x:s,y:o,city:a}=r.value;return[{key:`gate:${s}:${o}:${a}`,label:`cross to the city in the ${(xt[a]??"?").toLowerCase()} of (${s}, ${o}\
)`}]}default:return[{key:"?",label:"?"}]}}var Gd=we("carcassonne","carcassonne",{name:"Carcassonne with the Drawbridges",pointsName:"points",board:Zd,status:Vd,notation:Sd,steps:vd,toDecide({phase:e,turnSeat:t}){
return e.case==="drawbridge"?e.value.crossings.slice(0,1).map(({seat:n})=>n):e.case==="over"||e.case===void 0?[]:[t]},points:({seats:e})=>e.map(t=>t.roadPoints+
t.cityPoints+t.monasteryPoints)});function ie(e){return(Ue[e]??"?").toLowerCase()}function Wt(e){return(rn[e]??"?").toLowerCase()}function xd({decision:e}){switch(e.case){case"takeA2":return`tak\
e_a_2 ${e.value.used?"yes":"no"}`;case"playCards":{let{first:t,second:n}=e.value;return n===void 0?`play ${t}`:`play ${t} ${n}`}case"raiseCards":return`raise ${e.
value.first} ${e.value.second}`;case"place":{let{spot:t,stack:n,share:r,opening:s}=e.value,o=t===2,a=o?"free_centre":"x_space";return`place ${o?"centre ":""}${ie(
n)}${r?" share":""}${s?` ${a}`:""}`}case"replace":return`replace ${e.value.slot}`;case"takeTile":return`take_tile ${e.value.bonusStack}`;case"takeCards":return`\
take_cards${e.value.cards.map((n,r)=>n>0?` ${n}x${r}`:"").join("")}`;case"useTile":return`use ${Wt(e.value.tile)}`;case"end":return"end";default:return"?"}}var lt={width:46,height:66},Gf={0:"",1:"M-1-11H1V-9H3V-7H1V-5L5-1V2H9V9H-9V2H-5V-1L-1-5V-7H-3V-9H-1ZM-2 9V5A2 2 0 0 1 2 5V9Z",2:"M-10-8H-8V-6H-6V-8H-4V-3H4V-8H6\
V-6H8V-8H10V9H4V4A4 4 0 0 0-4 4V9H-10Z",3:"M-8-5A4 4 0 0 1-2-8A4.5 4.5 0 0 1 5-5V-3H7A3.5 3.5 0 0 1 7 5H5V9H-8ZM5-0.5V2.5H6.5A1.5 1.5 0 0 0 6.5-0.5Z",4:"M-8-9H8\
V-5.5H5.5V-3H-5.5V-5.5H-8ZM-6-1.5H6V0.7H-6ZM-6 2.2H6V4.4H-6ZM-5.5 5.5H5.5V6H8V9.5H-8V6H-5.5Z",5:"M0-10L10-4V-2H-10V-4ZM-8-0.5H-5V6H-8ZM-1.5-0.5H1.5V6H-1.5ZM5-0.\
5H8V6H5ZM-10 7H10V9.5H-10Z",6:"M-1.5 9.5V4H-5A4.5 4.5 0 0 1-7-3A5.5 5.5 0 0 1-1-9.5A5.5 5.5 0 0 1 6.5-4.5A4.5 4.5 0 0 1 5 4H1.5V9.5Z"};function ct(e,t,n,r=1){return b`<path d=${Gf[e]} fill-rule="evenodd" transform="translate(${t} ${n}) scale(${r})" class="l-ink-${ie(
e)}"/>`}var xf={1:"M-1.3-6.5H1.3V-1.8H5V0.8H1.3V7H-1.3V0.8H-5V-1.8H-1.3Z",2:"M0-3.5L5 2.5V5.5L0-0.5L-5 5.5V2.5Z",3:"M-5.5-6.5H-2.5L5 3.5L3 6L-5.5-4Z",4:"M0-3.8A\
3.4 3.4 0 1 1-0.01-3.8Z"};function fn(e){return e===0?"all four coats":(Do[e]??"?").toLowerCase()}function ss(e,t,n,r=1){return b`<g transform="translate(${t} ${n}) scale(${r})"><path d="M-6-8H6V1C6 5 3 7.5 0 9C-3 7.5-6 5-6 1Z"
    class="l-coat-${fn(e)}" stroke="var(--piece-edge)" stroke-width="1.2"/>
    <path d=${xf[e]??""} fill="#fff" fill-opacity="0.92"/></g>`}var hn=[1,2,3,4];function aa({kind:e,number:t,coat:n}){return`${ie(e)}${t>0?` ${t}`:""}, ${fn(n)}`}
function os(e,t,n,r=1){let{kind:s,number:o,coat:a}=e,i=s===5?hn.map((c,l)=>ss(c,8.5+l*9.7,55,.62)):ss(a,s===6?23:36.5,52,.9);return b`<g transform="translate(${t} ${n}) scale(${r})"><title>${aa(
e)}</title>
    <path d="M1.5 12.5L23 1.5L44.5 12.5V65H1.5Z" class="l-house-${ie(s)}"
      stroke="var(--piece-edge)" stroke-width="1.5" stroke-linejoin="round"/>
    <path d="M1.5 12.5L23 1.5L44.5 12.5" fill="none" class="l-roof-${ie(s)}" stroke-width="4" stroke-linejoin="round"/>
    ${ct(s,23,s===6?28:23,s===6?1.2:.88)}
    ${o>0?b`<text x=${s===5?23:15.5} y=${s===5?47:58} text-anchor="middle"
      font-size=${s===5?14:17} font-weight="700" class="l-number">${o}</text>`:void 0}
    ${i}</g>`}var If={0:["","no tile"],1:["share","enter a space where other pawns are"],2:["centre","enter the centre without paying"],3:["X","enter the X spac\
e"],4:["recall","take back the card of this turn"],5:["+2","two spaces on the chapel track"],6:["+2","two spaces on the gate track"],7:["+1","raise a played car\
d by one"],8:["take","take a 2 before cards are chosen"]};function as(e,t,n,r=1,s=!1){let[o,a]=If[e],i=o.length<=2,c={1:b`<path d="M8 22C8 17 12 17 12 12A4 4 0 1 1 17 12C17 17 20 17 20 22ZM19 22C21 20 22 16 22 12A4 4 0 1 1 27 12C27 17 30 17 30 22Z" class="l-glyph"/>`,
2:b`<circle cx="19" cy="15" r="9.5" fill="none" class="l-line"/><circle cx="19" cy="15" r="3.8" class="l-glyph"/>`,4:b`<path d="M27 21A9 9 0 1 0 11 17M7.5 12L11 18.5L17 15" fill="none" class="l-line"/>`,
5:ct(1,19,13.5,.82),6:ct(2,19,13.5,.82),8:b`<rect x="12" y="5" width="14" height="19" rx="2" class="l-glyph-card"/><text x="19" y="19.5" text-anchor="middle" font-size="13" font-weight="700" class="l-number">2</text>`}[e],
l=e===5||e===6;return b`<g transform="translate(${t} ${n}) scale(${r})">
    <title>${Wt(e)}: ${a}${s?"; usable from the next round":""}</title>
    <rect x="1" y="1" width="36" height="36" rx="7" class=${s?"l-tile l-fresh":"l-tile"}/>${c}
    <text x="19" y=${l?34:i?26:33} text-anchor="middle" font-size=${l?13:i?19:9.5}
      font-weight="700" class="l-glyph">${o}</text></g>`}function Ct(e,t,n,r=1){return b`<g transform="translate(${t} ${n}) scale(${r})"><title>character card ${e}</title>
    <rect x="1" y="1" width="22" height="32" rx="3.5" class="l-card l-card-${e}"/>
    <path d="M5 31C5 25 8.5 24 9.5 22A5 5 0 1 1 14.5 22C15.5 24 19 25 19 31Z" class="l-person"/>
    <text x="12" y="15" text-anchor="middle" font-size="15" font-weight="700" class="l-number">${e}</text></g>`}function Id(e,t){return b`<g transform="translate(${e} ${t})"><title>a card that is not revealed</title>
    <rect x="1" y="1" width="22" height="32" rx="3.5" class="l-back"/><path d="M6 8L18 26M18 8L6 26" class="l-back-line"/></g>`}var Nd=12,is=Nd/2,dt=52,bn=48;function Nf(e,t,n,r){let s=is*dt,o=Array.from({length:is},(a,i)=>{let c=e+i,l=i*dt,d=t[c];return b`
      <path d="M${l} 79H${l+dt}V106H${l+46}V102A20 18 0 0 0 ${l+6} 102V106H${l}Z" class="l-stone"/>
      <path d="M${l} 79.5H${l+dt}" class="l-deck"/>
      ${d?os(d,l+(dt-lt.width)/2,12):b`<rect x=${l+5} y="27" width="42" height="50" rx="5" class="l-slot"/><text x=${l+26} y="57" text-anchor="middle"
            font-size="13" class="ink-soft">${c}</text>`}
      ${n.has(c)?b`<rect x=${l+1} y="9" width=${dt-2} height="71" rx="7" class="new"/>`:void 0}
      ${n.get(c)?b`<text x=${l+26} y="9" text-anchor="middle" font-size="10" class="ink-soft">replaced</text>`:void 0}
      ${L(r,`slot:${c}`,b`<rect x=${l+2} y="10" width=${dt-4} height="69" rx="7"/>`)}`});return u`<svg class="l-half" viewBox="0 0 ${s} 112" aria-hidden="true">
    <rect y="98" width=${s} height="14" class="l-water"/>
    <path d="M0 102q13-5 26 0t26 0t26 0t26 0t26 0t26 0t26 0t26 0t26 0t26 0t26 0t26 0" class="l-wave"/>
    ${o.map(a=>b`${a}`)}</svg>`}function Mf(e){return hn.map(t=>e.filter(n=>n.coat===t||n.kind===5).length)}function Ff(e,t,n){let r=e.hand.flatMap((i,c)=>i>0?[
{value:c,count:i}]:[]),s=e.played,o=[e.raises?.first??0,e.raises?.second??0],a=s?[s.first,...s.second===void 0?[]:[s.second]]:[];return u`<div class="l-cards"><span class="label">hand</span>
    <svg class="row" viewBox="0 0 ${Math.max(1,r.length)*bn} 34" width=${Math.max(1,r.length)*bn} height="34" role="img"
      aria-label="hand: ${r.map(({value:i,count:c})=>`${c} of ${i}`).join(", ")||"none"}">
      ${r.map(({value:i,count:c},l)=>b`${Ct(i,l*bn,0)}<text x=${l*bn+26} y="22"
        font-size="12" class="ink">×${c}</text>
        ${["card","and"].map(d=>L(n,`${d}:${i}`,b`<rect x=${l*bn} y="0" width="24" height="34" rx="5"/>`))}`)}</svg>
    ${a.length>0?u`<span class="label">plays</span><svg class="row" viewBox="0 0 ${a.length*44} 34" width=${a.length*44} height="34"
      role="img" aria-label="plays ${a.join(" and ")}">${a.map((i,c)=>b`${Ct(i,c*44,0)}${o[c]?b`<text x=${c*44+26} y="22" font-size="13" font-weight="700" class="ink">+${o[c]}</text>`:
void 0}`)}</svg>`:e.hasChosen?u`<span class="label">chose</span><svg class="row" viewBox="0 0 24 34" width="24" height="34" role="img"
          aria-label="a card that is not revealed">${Id(0,0)}</svg>`:t?u`<span class="label">chooses…</span>`:void 0}</div>`}function Yf(e){if(e.tiles.length===
0)return;let t=[...e.freshTiles],n=34;return u`<div class="l-tiles"><span class="label">tiles</span><svg class="row" viewBox="0 0 ${e.tiles.length*n} ${n}"
    width=${e.tiles.length*n} height=${n} role="img" aria-label="${e.tiles.length} bonus tiles">${e.tiles.map((r,s)=>{let o=t.indexOf(r);return o>=0&&t.splice(o,
1),as(r,s*n,0,.88,o>=0)})}</svg></div>`}function Md(e,t,n){let r=new Map;for(let{event:c}of e.events)c.case==="built"&&c.value.seat===t&&r.set(c.value.slot,c.value.
replaced!==void 0);let s=e.observation.phase.case==="chooseCards",o=e.picking?.seat===t?e.picking:void 0,a=Mf(n.bridge),i=Math.max(Nd,n.bridge.length);return u`<section class="panel l-seat ${e.
toDecide.includes(t)?"decides":""}">
    <header><h3>${F(t)} <bdi>${A(e.names[t]??"")}</bdi></h3><b class="money">£${n.money}</b>
      <svg class="row" viewBox="0 0 168 22" width="168" height="22" role="img"
        aria-label="strengths: ${hn.map((c,l)=>`${fn(c)} ${a[l]}`).join(", ")}">
        ${hn.map((c,l)=>b`<g><title>strength of ${fn(c)}: ${a[l]}</title>${ss(c,10+l*42,11)}
          <text x=${21+l*42} y="16" font-size="14" font-weight="700" class="ink">${a[l]}</text></g>`)}</svg>
      ${Ff(n,s,o)}${Yf(n)}</header>
    <div class="l-bridge" role="img" aria-label="bridge: ${n.bridge.map(c=>`${Ue[c.kind]?.toLowerCase()} ${c.number||""}`).join(", ")||"empty"}">${Array.from({length:Math.
ceil(i/is)},(c,l)=>Nf(l*is,n.bridge,r,o))}</div></section>`}var yn=6,Wf=[0,1,2,3,2,1],En=1.25;function Sn(e,t){let n=(e*60-90)*Math.PI/180;return[Math.cos(n)*t,Math.sin(n)*t]}function Cf(e,t,n,r){let s=e.unseenNumbers.length+
e.unseenCoats.length,[o,a]=[lt.width*En,lt.height*En],[i,c]=[t-o/2,n-a/2-4],l=e.top?s+1:0;return b`<g><title>${ie(e.kind)}: ${l} left</title>
    ${[3,2,1].filter(d=>s>=d*3-2).map(d=>b`<rect x=${i+2+d*2.5} y=${c+17+d*2.5} width=${o-3} height=${a-17} class="l-below"/>`)}
    ${e.top?os(e.top,i,c,En):b`<rect x=${i} y=${c+8} width=${o} height=${a-8} rx="6" class="vacant"/>${ct(e.kind,t,n,1.3)}`}
    ${r?b`<rect x=${i-3} y=${c-3} width=${o+6} height=${a+7} rx="8" class="new"/>`:void 0}
    <text x=${t} y=${n+a/2+16} text-anchor="middle" font-size=${ie(e.kind).length>10?11:13} class="ink-soft">${ie(e.kind)} ×${l}</text></g>`}function Fd({observation:e,
config:t,events:n,picking:r}){let s=t?.edition?.rondelIncomes??Wf,o=new Set(n.flatMap(({event:l})=>l.case==="placed"?[l.value.seat]:[])),a=n.flatMap(({event:l})=>l.
case==="stackRevealed"?[l.value.stack]:[]),i=l=>e.seats.flatMap(({pawn:d},p)=>(l==="centre"?d?.place.case==="centre":d?.place.case==="outer"&&d.place.value===l)?
[p]:[]),c=(l,d,p)=>l.map((g,f)=>b`${o.has(g)?b`<circle cx=${d+(f-(l.length-1)/2)*24} cy=${p-10} r="20" class="new"/>`:void 0}${Fi(g,d+(f-(l.length-1)/2)*24,p,1.25)}`);
return u`<svg class="l-rondel" viewBox="-240 -258 480 510" role="img"
      aria-label="the rondel with six stacks of buildings">
    <circle r="124" class="l-rim"/><circle r="118" class="l-wheel"/>
    ${Array.from({length:yn},(l,d)=>{let[p,g]=Sn(d+.5,42),[f,h]=Sn(d+.5,118),[y,E]=Sn(d,101),V=s[d]??0;return b`<path d="M${p} ${g}L${f} ${h}" class="l-spoke"/>
        <text x=${y} y=${E+7} text-anchor="middle" font-size=${d===0?28:20} font-weight="700" class=${d===0?"l-x":"l-income"}
          >${d===0?"✕":`£${V}`}</text>`})}
    <circle r="42" class="l-centre"/><text y="-19" text-anchor="middle" font-size="15" font-weight="700" class="l-income">−£2</text>
    ${e.stacks.map((l,d)=>{let p=((d-e.orientation)%yn+yn)%yn,[g,f]=Sn(p,p===0?200:p===3?182:192),[h,y]=[lt.width*En,lt.height*En];return b`${Cf(l,g,f,a.includes(
l.kind)&&l.kind!==0)}
        ${L(r,`stack:${l.kind}`,b`<rect x=${g-h/2-5} y=${f-y/2-9} width=${h+10} height=${y+10} rx="9"/>`)}`})}
    ${Array.from({length:yn},(l,d)=>{let[p,g]=Sn(d,63);return c(i(d),p,g+12)})}
    ${c(i("centre"),0,23)}
  </svg>`}var cs=16,De=27,Yd=14,Wd=10;function Tf(e){return e==="start"?9:[10,12,12,10.5][e.length]??8.5}function Cd(e){let t=e.last+1,n=Math.ceil(t/cs),r=16+(e.order.length-
1)*Yd,s=r+De+3,o=a=>({x:a%cs*De+3,y:Math.floor(a/cs)*s+r});return u`<figure class="l-track"><figcaption><svg class="glyph" viewBox="-12 -12 24 24" aria-hidden="true">${ct(
e.kind,0,0)}</svg> ${e.name}</figcaption>
    <svg viewBox="0 0 ${cs*De+6} ${n*s}" role="img" aria-label=${e.name}>
    ${Array.from({length:t},(a,i)=>{let{x:c,y:l}=o(i),d=e.printed.get(i);return b`<g><rect x=${c+1} y=${l} width=${De-2} height=${De-2} rx="4"
          class=${d===void 0?"l-space":"l-space l-pays"}/>
        <text x=${c+De/2} y=${l+21} text-anchor="middle" font-size=${Tf(d??(i===0?"start":""))}
          font-weight=${d===void 0?400:700} class=${d===void 0?"ink-soft":"l-pays-text"}>${d??(i===0?"start":i)}</text></g>`})}
    ${[...e.order].reverse().map(a=>{let{x:i,y:c}=o(e.position(a)),l=e.order.slice(e.order.indexOf(a)+1).filter(p=>e.position(p)===e.position(a)).length,d=c-1-l*
Yd;return b`${e.moved.has(a)?b`<circle cx=${i+De/2} cy=${d} r="14" class="new"/>`:void 0}
        ${zs(a,i+De/2,d,9.5)}`})}</svg></figure>`}function Td({observation:e,config:t,events:n}){let r=t?.edition,s=l=>new Set(n.flatMap(({event:d})=>d.case===l&&
d.value.fromSpace!==d.value.toSpace?[d.value.seat]:[])),o=r?.chapelLastSpace??Math.max(15,...e.seats.map(l=>l.chapelPosition)),a=r?.gateLastSpace??Math.max(15,...e.
seats.map(l=>l.gatePosition)),i=new Map(r?.chapelMoney.map(l=>[l.space,`£${l.money}`])),c=new Map(r?.gateBonus.map(l=>[l,"★"]));return i.set(o,`£${(r?.chapelMoney.
find(({space:l})=>l===o)?.money??0)+Wd}`),c.set(a,`${c.get(a)??""}£${Wd}`),u`<div class="l-tracks">
    ${Cd({name:"Chapel track",kind:1,last:o,printed:i,order:e.chapelOrder,position:l=>e.seats[l]?.chapelPosition??0,moved:s("chapelAdvanced")})}
    ${Cd({name:"Gate track",kind:2,last:a,printed:c,order:e.gateOrder,position:l=>e.seats[l]?.gatePosition??0,moved:s("gateAdvanced")})}</div>`}var kf={0:"",1:"furthest on the chapel track",2:"most chapels",3:"£1 a round to the chapel leader",4:"£1 a space ahead of the last",5:"money spaces pay again",
6:"furthest on the gate track",7:"most gates",8:"£1 a round to the gate leader",9:"£3, 5, 9, 12 by distance",10:"unused tiles pay £0, 1, 4, 9, 16",11:"highes\
t sum in hand",12:"most inns",13:"£2 to the highest card",14:"£4, 7, 10 by cards in hand",15:"£5, 10, 15 for sets of cards",16:"most buildings",17:"longest s\
eries",18:"£2 a round to the lowest number",19:"£2 a number up to 30",20:"£10 a set of all six kinds"};function Xf({faces:e}){let t=[["chapel",e?.chapel],["g\
ate",e?.gate],["inn",e?.inn],["bridge",e?.bridge]];return u`<dl class="l-faces">${t.map(([n,r])=>u`<div><dt>${n}</dt><dd>${kf[r??0]}</dd></div>`)}</dl>`}function Lf(e,t,n){
return u`<div class="l-stock">
    <figure><figcaption>Supply</figcaption><svg viewBox="0 0 226 40" role="img"
      aria-label="supply: ${e.supply.map((r,s)=>`${r} of ${s}`).slice(1).join(", ")}">
      ${e.supply.map((r,s)=>s===0?void 0:b`${Ct(s,(s-1)*57,3)}
        <text x=${(s-1)*57+26} y="26" font-size="13" class=${r===0?"ink-soft":"ink"}>×${r}</text>`)}</svg></figure>
    <figure><figcaption>Bonus tiles</figcaption><svg viewBox="0 0 190 40" role="img" aria-label="bonus stacks">
      ${e.bonusStacks.map((r,s)=>b`${r.faceUp===0?b`<rect x=${s*64+1} y="2" width="36" height="36" rx="7" class="l-slot"/>`:as(r.faceUp,s*64,1)}
        ${t.has(s)?b`<rect x=${s*64-1} y="0" width="40" height="40" rx="9" class="new"/>`:void 0}
        <text x=${s*64+40} y="25" font-size="12" class="ink-soft">×${r.unseen.length+(r.faceUp===0?0:1)}</text>
        ${L(n,`bonus:${s}`,b`<rect x=${s*64} y="1" width="38" height="38" rx="8"/>`)}`)}</svg></figure>
    <figure><figcaption>Markers left</figcaption><svg viewBox="0 0 156 40" role="img"
      aria-label="markers left: ${e.unseenMarkers.map((r,s)=>`${r} of ${s+1}`).join(", ")}">
      ${e.unseenMarkers.map((r,s)=>b`<circle cx=${s*52+16} cy="20" r="13" class="l-marker"/>
        <text x=${s*52+16} y="25" text-anchor="middle" font-size="15" font-weight="700" class="l-number">${s+1}</text>
        <text x=${s*52+32} y="25" font-size="12" class="ink-soft">×${r}</text>`)}</svg></figure></div>`}function Uf({turns:e,phase:t}){if(e.length===0)return;let n=t.
case==="turn"?t.value.turn:-1;return u`<ol class="l-turns" aria-label="order of play">${e.map(({seat:r,card:s,value:o},a)=>u`<li
    class=${a===n?"now":a<n?"past":""}>${F(r)}<svg viewBox="0 0 24 34" width="20" height="28" role="img"
      aria-label="card ${s}">${Ct(s,0,0)}</svg>${o>s?u`<b>+${o-s}</b>`:void 0}</li>`)}</ol>`}function kd(e){let{observation:t}=e,n=new Set(e.events.flatMap(({event:r})=>r.
case==="tileTaken"?[r.value.bonusStack]:[]));return u`<div class="board london">
    <div class="panel l-middle">${Fd(e)}
      <div class="l-beside">
        <div class="l-round"><svg viewBox="0 0 40 40" width="40" height="40" role="img" aria-label="round marker ${t.marker}">
          <circle cx="20" cy="20" r="17" class="l-marker"/><text x="20" y="27" text-anchor="middle" font-size="20" font-weight="700" class="l-number">${t.marker}</text></svg>
          <span>round <b>${t.round}</b>, last ${t.rounds-1}</span>${Uf(t)}</div>
        ${Td(e)}${Lf(t,n,e.picking)}${Xf(t)}</div></div>
    ${t.seats.map((r,s)=>Md(e,s,r))}</div>`}function Xd({phase:e,round:t,rounds:n,turns:r}){let s=n-1-t,o=s>0?`round ${t}, ${s} left`:`round ${t}, the last`;switch(e.
case){case"takeA2":return`${o}: seat ${e.value.seat} may take a 2`;case"chooseCards":return`${o}: seats choose cards in secret`;case"raiseCards":return`${o}: se\
at ${e.value.seat} may raise its cards`;case"turn":{let a=r[e.value.turn]?.seat??"?",i={place:"places its pawn",replace:"replaces a building",takeTile:"takes a \
bonus tile",takeCards:"takes cards",finish:"may use tiles"}[e.value.step.case??"finish"];return`${o}, turn ${e.value.turn}: seat ${a} ${i}`}default:return"the m\
atch is over"}}var Ld=e=>e.replace(/_/g," ");function Ud({decision:e},t){switch(e.case){case"takeA2":return[e.value.used?{key:"take_a_2:yes",label:"use a tile to take a 2"}:{key:"\
take_a_2:no",label:"do not take a 2"}];case"playCards":{let{first:n,second:r}=e.value;return[{key:`card:${n}`,label:`play a ${n}`},r===void 0?{key:"alone",label:"\
alone"}:{key:`and:${r}`,label:`and a ${r}`}]}case"raiseCards":{let{first:n,second:r}=e.value;if(n+r===0)return[{key:"raise:0",label:"raise nothing"}];let s=[n>0?
`the first card by ${n}`:"",r>0?`the second by ${r}`:""];return[{key:`raise:${n}:${r}`,label:`raise ${s.filter(o=>o!=="").join(", ")}`}]}case"place":{let{spot:n,
stack:r,share:s,opening:o}=e.value,a=n===2,i=a?"a free centre":"an X space";return[{key:`stack:${r}`,label:`take the ${ie(r)}`},a?{key:"centre",label:"from the \
centre"}:{key:"space",label:"from its space"},{key:`spend:${s}:${o}`,label:[s?"with a share tile":"",o?`with ${i} tile`:""].filter(c=>c!=="").join(" and ")||"wi\
thout a tile"}]}case"replace":{let n=t.viewerSeat??0,r=t.seats[n]?.bridge[e.value.slot];return[{key:`slot:${e.value.slot}`,label:`replace ${r?aa(r):"nothing"} i\
n slot ${e.value.slot}`}]}case"takeTile":{let{bonusStack:n}=e.value,r=t.bonusStacks[n]?.faceUp;return[{key:`bonus:${n}`,label:`take the tile ${r?Ld(Wt(r)):"?"} \
of stack ${n}`}]}case"takeCards":{let n=e.value.cards.flatMap((r,s)=>r>0?[`${r} of ${s}`]:[]);return[{key:`cards:${e.value.cards.join(":")}`,label:n.length>0?`t\
ake ${n.join(", ")}`:"take no card"}]}case"useTile":return[{key:`use:${e.value.tile}`,label:`use the tile ${Ld(Wt(e.value.tile))}`}];case"end":return[{key:"end",
label:"end the turn"}];default:return[{key:"?",label:"?"}]}}var Bd=we("old_london_bridge","oldLondonBridge",{name:"Old London Bridge",pointsName:"pounds",board:kd,status:Xd,notation:xd,steps:Ud,toDecide({phase:e,turns:t,
seats:n}){switch(e.case){case"takeA2":case"raiseCards":return[e.value.seat];case"chooseCards":return n.flatMap((r,s)=>r.hasChosen?[]:[s]);case"turn":{let r=t[e.
value.turn]?.seat;return r===void 0?[]:[r]}default:return[]}},points:({seats:e})=>e.map(t=>t.money)});var ia=[Bd,zl,pd,Gd];function U(e){return ia.find(t=>t.entry===e?.game.case)}var Bf=50;function ca(e){let t=(Oo[e.state]??"").toLowerCase();return u`<span class="tag ${e.state===1?"live":""}">${t}</span>${e.settled?u`<span class="tag good" title=${wf(
e)}>✓ settled</span>`:void 0}`}function wf({closing:e}){if(!e)return"the order of the best bots is settled";let t=Number((e.confidence*100).toFixed(2));return`\
the order of the top ${e.settledTop} is settled with ${t} % confidence`}var ls=class{#e;#t=!1;#n;constructor(t){this.#e=new he(async n=>{let{ladders:r,nextPageToken:s}=await Ze().
listLadders({pageSize:Bf,pageToken:n});return{items:r,nextPageToken:s}},t),this.#e.read().then(()=>this.#t=!0,n=>this.#n=W(n)).finally(t)}view(){return this.#n?.
isUnsupported?u`<main class="plain"><div class="panel empty"><h1>Ladders</h1><p>This server has no ladders.</p></div></main>`:this.#n?j(this.#n,"The ladders can\
not be listed"):this.#t?u`<main class="list"><h1>Ladders</h1>${this.#e.items.length===0?u`<p class="panel empty">There are no ladders yet.</p>`:u`<ul class="cards">${this.#e.
items.map(t=>u`<li class="panel card">
          <a class="cover" href=${Qe(t.ladderId)}><bdi>${A(t.ladderId)}</bdi></a>
          <p>${ca(t)}</p><p>${U(t.config?.game)?.name??""}, ${t.config?.seats??"?"} seats</p>
          <p class="quiet">${t.matches} matches${t.annulledMatches>0n?`, ${t.annulledMatches} annulled`:""}</p></li>`)}</ul>${this.#e.more("More ladders")}`}</main>`:
q("Loading the ladders…")}};var _f=50,ds=class{constructor(t,n){this.ladderId=t;this.#t=new he(async r=>{let{standings:s,nextPageToken:o}=await Ze().listStandings({ladderId:t,pageSize:_f,pageToken:r});
return{items:s,nextPageToken:o}},n),this.#n=Lr(t,"",n),this.#s().catch(r=>this.#r=W(r)).finally(n)}ladderId;#e;#t;#n;#r;async#s(){let{ladderId:t}=this,[{ladder:n}]=await Promise.
all([Ze().getLadder({ladderId:t}),this.#t.read(),this.#n.read()]);this.#e=n}view(){if(this.#r)return j(this.#r,"This ladder cannot be shown");let t=this.#e;if(!t)
return q("Loading the standings…");let n=sn(this.#t.items.map(({rating:r})=>r));return u`<main class="list"><h1><bdi>${A(t.ladderId)}</bdi> ${ca(t)}</h1>
      <p class="quiet">${U(t.config?.game)?.name??""}, ${t.config?.seats??"?"} seats; ${t.matches} rated matches</p>
      <table class="standings ranking"><thead><tr><th class="figure">Rank</th><th>Bot</th><th class="figure">Rating</th><th>Interval</th><th class="figure">Matches</th><th>Forfeits</th><th>State</th></tr></thead>
        <tbody>${this.#t.items.map(r=>u`<tr><td class="figure">${Br(r.rating)}</td>
          <th scope="row"><a href=${Qe(t.ladderId,r.botName)}><bdi>${A(r.botName)}</bdi></a>
            <small><bdi>${A(r.botVersion)}</bdi>${r.owner?u`, <bdi>${A(r.owner)}</bdi>`:void 0}</small></th>
          <td class="figure">${on(r.rating)}</td><td>${wr(r.rating,n)}</td>
          <td class="figure">${r.rating?.matches??0}</td><td>${Xr(r.conduct)}</td><td>${$f(r)}</td></tr>`)}</tbody></table>${this.#t.more("More bots")}
      ${Ur(this.#n)}</main>`}};function $f(e){let t=(_o[e.state]??"").toLowerCase();return u`${t&&t!=="unspecified"?u`<span class="tag" title=${A(e.detail)}>${t.
replace(/_/g," ")}</span>`:void 0}${e.disqualified?u`<span class="tag warn">disqualified</span>`:void 0}${e.isHouseBot?u`<span class="tag">house</span>`:void 0}${e.
changed?u`<span class="tag warn" title="the bot's last 100 results differ significantly from its earlier results">changed</span>`:void 0}`}var wd=(e,t,n)=>{let r=new Map;for(let s=t;s<=n;s++)r.set(e[s],s);return r},_d=Fe(class extends Ve{constructor(e){if(super(e),e.type!==pe.CHILD)throw Error("rep\
eat() can only be used in text expressions")}dt(e,t,n){let r;n===void 0?n=t:t!==void 0&&(r=t);let s=[],o=[],a=0;for(let i of e)s[a]=r?r(i,a):a,o[a]=n(i,a),a++;return{
values:o,keys:s}}render(e,t,n){return this.dt(e,t,n).values}update(e,[t,n,r]){let s=ql(e),{values:o,keys:a}=this.dt(t,n,r);if(!Array.isArray(s))return this.ut=a,
o;let i=this.ut??=[],c=[],l,d,p=0,g=s.length-1,f=0,h=o.length-1;for(;p<=g&&f<=h;)if(s[p]===null)p++;else if(s[g]===null)g--;else if(i[p]===a[f])c[f]=$e(s[p],o[f]),
p++,f++;else if(i[g]===a[h])c[h]=$e(s[g],o[h]),g--,h--;else if(i[p]===a[h])c[h]=$e(s[p],o[h]),Ft(e,c[h+1],s[p]),p++,h--;else if(i[g]===a[f])c[f]=$e(s[g],o[f]),Ft(
e,s[p],s[g]),g--,f++;else if(l===void 0&&(l=wd(a,f,h),d=wd(i,p,g)),l.has(i[p]))if(l.has(i[g])){let y=d.get(a[f]),E=y!==void 0?s[y]:null;if(E===null){let V=Ft(e,
s[p]);$e(V,o[f]),c[f]=V}else c[f]=$e(E,o[f]),Ft(e,s[p],E),s[y]=null;f++}else Pr(s[g]),g--;else Pr(s[p]),p++;for(;f<=h;){let y=Ft(e,c[h+1]);$e(y,o[f]),c[f++]=y}for(;p<=
g;){let y=s[p++];y!==null&&Pr(y)}return this.ut=a,Kr(e,c),D}});var la={waiting:1,running:2,ended:3,cancelled:4};function us(e){let t=e.get("label")??"",[n="",...r]=t.split("="),s=e.get("annulled");return Y(Ml,{state:la[e.get(
"state")??""]??0,gameId:e.get("game")??"",botName:e.get("bot")??"",maker:e.get("maker")??"",groupId:e.get("group")??"",labels:n===""?{}:{[n]:r.join("=")},...s===
"yes"||s==="no"?{annulled:s==="yes"}:{}})}var ms=class{#e=performance.now();async next(){performance.now()-this.#e<=8||(await new Promise(t=>setTimeout(t)),this.#e=performance.now())}};function $d(){return new Promise(
e=>{requestAnimationFrame(()=>setTimeout(e)),setTimeout(e,100)})}function ps(){return document.hidden?new Promise(e=>{let t=()=>{document.hidden||(document.removeEventListener(
"visibilitychange",t),e())};document.addEventListener("visibilitychange",t)}):Promise.resolve()}var Jf=20,Df=1e3,Of=15e3,fs=({state:e})=>e===1||e===2,gs=class{constructor(t,n,r){this.filter=t;this.changed=n;this.left=r;this.#e()}filter;changed;left;followed=new Map;async#e(){
let t=new se(Of);for(;;){await ps();let n=new AbortController,r=()=>document.hidden&&n.abort();document.addEventListener("visibilitychange",r);try{this.followed.
clear();for await(let{match:s,observation:o}of Mt().watchMatches({filter:this.filter,maxMatches:Jf,intervalMs:Df},{signal:n.signal}))t.reset(),s&&this.#t(s,o)}catch(s){
if(!n.signal.aborted&&!W(s).isTemporary)return}finally{document.removeEventListener("visibilitychange",r)}document.hidden||await t.wait()}}#t(t,n){let r=this.followed.
get(t.matchId);fs(t)?(t.config??=r?.match.config,this.followed.set(t.matchId,{match:t,observation:n,version:(r?.version??0)+1})):(this.followed.delete(t.matchId),
this.left()),this.changed()}};var Kf=50,Pf=5e3,hs=class{constructor(t,n){this.query=t;this.changed=n;this.#l(),setInterval(()=>{this.#o()},Pf)}query;changed;#e=new Map;#t=new Set;#n="";#r=0;#s;#a;async#i(t){
let n=us(this.query).state,r=t===""&&n===0,s=[];for(let o of r?[1,2,n]:[n]){let a=Object.assign(us(this.query),{state:o});s.push(await Mt().listMatches({filter:a,
pageSize:Kf,pageToken:t}))}return s}#c(t){for(let{matches:n,damagedMatchIds:r}of t){for(let s of n){let o=this.#e.get(s.matchId);o&&o.state>=s.state||(this.#e.delete(
s.matchId),this.#e.set(s.matchId,s))}r.forEach(s=>this.#t.add(s))}this.#n=t.at(-1)?.nextPageToken??""}async#l(){try{this.#c(await this.#i(this.#n)),this.#r+=1;let t=us(
this.query);t.state!==3&&t.state!==4&&(this.#a??=new gs(t,this.changed,()=>{this.#o()}))}catch(t){this.#s=W(t)}this.changed()}async#o(){if(!(document.hidden||this.#r!==
1||this.#s))try{let t=await this.#i("");if(this.#r!==1)return;[this.#e,this.#t]=[new Map,new Set],this.#c(t),this.changed()}catch{}}#u(){let t=this.#a?.followed??
new Map,n=[...this.#e.values()].filter(s=>fs(s)&&!t.has(s.matchId));return[...t.values(),...n.map(s=>({match:s,observation:void 0,version:0}))].sort((s,o)=>Number(
o.match.createdUnixMs-s.match.createdUnixMs))}view(){if(this.#s)return j(this.#s,"The matches cannot be listed");if(this.#r===0)return q("Loading the matches…");
let t=this.query.get("bot"),n=this.#u(),r=[...this.#e.values()].filter(s=>!fs(s));return u`<main class="list"><h1>${t?u`Matches of <bdi>${A(t)}</bdi>`:"Matches"}</h1>${Qf(
this.query)}
      ${n.length>0?u`<section aria-label="matches in progress"><h2>In progress</h2><ul class="cards">${_d(n,({match:s})=>s.matchId,s=>ae([s.match,s.version],()=>jf(
s)))}</ul></section>`:void 0}
      ${r.length>0?u`<section aria-label="finished matches"><h2>Finished</h2>${eh(r)}</section>`:void 0}
      ${this.#e.size===0?u`<div class="panel empty"><p>${[...this.query.values()].some(Boolean)?"No matches fit these filters.":"There are no matches yet."}</p>
        <p class="quiet">Drop a replay file anywhere on this page to open it.</p></div>`:void 0}
      ${this.#t.size>0?u`<p class="notice">The server cannot read ${this.#t.size} matches: ${[...this.#t].map(s=>u`<code>${A(s)}</code> `)}</p>`:void 0}
      ${this.#n?u`<p><button type="button" @click=${()=>{this.#l()}}>Older matches</button></p>`:void 0}</main>`}};function Qf(e){let t=s=>e.get(s)??"",n=(s,o,a)=>u`<label>${o}<select name=${s}>
    <option value="">any</option>${a.map(([i,c])=>u`<option value=${i} ?selected=${t(s)===i}>${c}</option>`)}</select></label>`,r=(s,o,a)=>u`<label>${o}<input name=${s} .value=${t(
s)} placeholder=${a} maxlength="300"></label>`;return u`<form class="filters" @submit=${zf}>${n("game","Game",ia.map(({id:s,name:o})=>[s,o]))}
    ${n("state","State",Object.keys(la).map(s=>[s,s]))}
    ${r("bot","Bot","name")}${r("label","Label","name=value")}<button type="submit">Filter</button>
    ${[...e.values()].some(Boolean)?u`<a href=${fe}>all</a>`:void 0}</form>`}function zf(e){e.preventDefault();let t=new URLSearchParams;for(let[n,r]of new FormData(
e.currentTarget))typeof r=="string"&&r!==""&&t.set(n,r);location.assign(`${fe}?${t}`)}function Jd(e){return U(e.config?.game)?.name??"an unknown game"}function Dd(e){
return u`<ul class="bots">${e.seats.map(({seat:t,botName:n,reservedFor:r})=>{let s=e.result?.seats.find(o=>o.seat===t);return u`<li class=${s?.place===1?"first":
""}>${F(t)} ${n?u`<a href=${Et(n)}><bdi>${A(n)}</bdi></a>`:u`<i>${r?u`for <bdi>${A(r)}</bdi>`:"no bot yet"}</i>`}
      ${s?u`<b class="score" title="place ${s.place}">${s.score}</b>${s.faultCount>0?u`<span class="tag warn">${s.faultCount} ${s.faultCount===1?"fault":"faults"}</span>`:
void 0}`:void 0}</li>`})}</ul>`}function Od(e){let t=Object.entries(e.labels);if(t.length!==0)return u`<div class="labels">${t.map(([n,r])=>u`<a class="tag" href="${fe}?${new URLSearchParams(
{label:`${n}=${r}`})}"><bdi>${A(n)}=${A(r)}</bdi></a>`)}</div>`}function Hf({match:e,observation:t}){let n=U(t);if(!t||!n)return u`<div class="thumb none" aria-hidden="true"></div>`;
let r=e.seats.map(({botName:s})=>s);return u`<div class="thumb" aria-hidden="true" inert><div class="mini">${n.board({observation:t,config:e.config?.game,events:[],
frame:void 0,names:r})}</div></div>`}function jf(e){let{match:t,observation:n}=e,r=n&&U(n)?.status(n);return u`<li class="panel card">${Hf(e)}<a class="cover" href=${Pe(
t.matchId)}>${Jd(t)}</a>
    <p>${t.state===2?u`<span class="tag live">live</span>`:u`<span class="tag">waiting for bots</span>`}
      <span class="quiet">${t.decisions===1?"1 decision":`${t.decisions} decisions`}${r?u` · ${r}`:void 0}</span></p>${Dd(t)}${Od(t)}</li>`}function qf(e){if(e===
0n)return;let t=new Date(Number(e));return u`<time datetime=${t.toISOString()}>${t.toLocaleString([],{dateStyle:"medium",timeStyle:"short"})}</time>`}function eh(e){
return u`<table class="matches"><thead><tr><th>Game</th><th>Bots and scores</th><th class="figure">Decisions</th><th>Ended</th></tr></thead><tbody>${e.map(t=>u`<tr>
    <th scope="row"><a href=${Pe(t.matchId)}>${Jd(t)}</a>${t.state===4?u` <span class="tag warn">cancelled</span>`:void 0}${t.annulment?u` <span class="tag warn">annulled</span>`:
void 0}</th>
    <td>${Dd(t)}${Od(t)}</td><td class="figure">${t.decisions}</td><td>${qf(t.endedUnixMs||t.createdUnixMs)}</td></tr>`)}</tbody></table>`}var Kd=[["← →","previous and next decision"],["Home End","first and last position"],["Space","play and pause"],["+ −","faster and slower"],["N P","next an\
d previous decision of the same seat"],["J K","next and previous fault"],["1 … 6","view as seat 0 … 5"],["A","views of all seats, side by side"],["0 Esc","v\
iew as a spectator"],["?","this help"]];function th(e,t){return e instanceof Element?e.closest("input, select, textarea, [contenteditable]")?!0:(t===" "||t==="E\
nter")&&e.closest("button, a, summary")!==null:!1}function Pd(e,t){if(t.ctrlKey||t.altKey||t.metaKey||th(t.target,t.key))return;let n=e.viewSeat??e.record.positions[e.
index]?.played?.seat,r={ArrowLeft:()=>e.goTo(e.index-1),ArrowRight:()=>e.goTo(e.index+1),Home:()=>e.goTo(0),End:()=>e.goTo(e.record.isLive?e.last:Number.POSITIVE_INFINITY),
" ":()=>e.togglePlaying(),"+":()=>e.changeSpeed(1),"-":()=>e.changeSpeed(-1),n:()=>n!==void 0&&e.goToSeat(n,1),p:()=>n!==void 0&&e.goToSeat(n,-1),j:()=>e.goToFault(
1),k:()=>e.goToFault(-1),a:()=>e.viewAs(e.seat==="all"?void 0:"all"),0:()=>e.viewAs(void 0),Escape:()=>e.showsHelp?e.toggleHelp():e.viewAs(void 0),"?":()=>e.toggleHelp()},
s=/^[1-6]$/.test(t.key)?()=>e.viewAs(Number(t.key)-1):r[t.key.length===1?t.key.toLowerCase():t.key];s&&(t.preventDefault(),s())}function bs(e,t){if(t===void 0)return e;let{played:n,faults:r}=e,s=o=>o!==t;return{...e,...n&&s(n.seat)?{played:{...n,decision:void 0,notation:"",note:"",legalDecisions:[],
legalDecisionsCut:!1}}:{},faults:r.map(o=>o.fault&&s(o.seat)?{...o,fault:{...o.fault,detail:""}}:o)}}var rh=6,sh=4,oh=3,ah=1;function ih({played:e,faults:t}){if(!e)return;let{seat:n,charge:r,decidedBy:s}=e,o=a=>Number(a??0n)/1e3;return{seat:n,thinkingMs:o(r&&r.
chargedUs+r.unchargedUs),creditMs:o(r?.creditUs),lagMs:o(r?.refereeLagUs),isSubstituted:s===3,isLate:t.some(a=>a.seat===n&&a.fault?.reason===2)}}function ut(e){
return(nn[e??0]??"unknown").toLowerCase().replace(/_/g," ")}function te(e){if(e<10)return`${Math.round(e*10)/10} ms`;if(e<1e3)return`${Math.round(e)} ms`;if(e<6e4)
return`${Math.round(e/100)/10} s`;let t=Math.floor(e/1e3),[n,r]=[Math.floor(t/3600),Math.floor(t/60)%60],s=o=>String(o).padStart(2,"0");return n>0?`${n}:${s(r)}\
:${s(t%60)}`:`${r}:${s(t%60)}`}function Qd(e,t,n){return[...e].sort((r,s)=>t(s)-t(r)).slice(0,n)}function zd(e,t){let n=e.map(ih),r=e.map(({observations:[d]})=>t&&
d?t.points(d):[]),s=e.flatMap(({faults:d},p)=>d.map(({seat:g,fault:f})=>({index:p,kind:"fault",seat:g,text:`seat ${g}: fault, ${ut(f?.reason)}`}))),o=r.flatMap(
(d,p)=>{let g=r[p-1];return g?d.map((f,h)=>({index:p,seat:h,gain:f-(g[h]??0)})).filter(({gain:f})=>f>0):[]}),a=o.reduce((d,{gain:p})=>d+p,0)/Math.max(1,o.length);
for(let{index:d,seat:p,gain:g}of Qd(o.filter(f=>f.gain>a),f=>f.gain,rh))s.push({index:d,kind:"jump",seat:p,text:`seat ${p}: +${g} ${t?.pointsName??"points"}`});
let i=n.flatMap(d=>d?[d.thinkingMs]:[]).sort((d,p)=>d-p),c=Math.max(ah,oh*(i[Math.floor(i.length/2)]??0)),l=n.flatMap((d,p)=>d&&d.thinkingMs>=c?[{think:d,index:p}]:
[]);for(let{think:d,index:p}of Qd(l,g=>g.think.thinkingMs,sh))s.push({index:p,kind:"think",seat:d.seat,text:`seat ${d.seat} thought ${te(d.thinkingMs)}`});return s.
sort((d,p)=>d.index-p.index),{thinks:n,points:r,marks:s}}var ch=350,lh=120,ys=class{constructor(t,n,r){this.record=t;this.mark=n;this.changed=r;let s=Ke(n==="?"?location.search:location.hash);this.#n=s.at,this.seat=s.
seat,this.speed=s.speed,this.follows=t.isLive&&s.at===void 0,this.#o()}record;mark;changed;index=0;seat;speed;isPlaying=!1;showsHelp=!1;showsLegal=!1;follows;notice="";#e;#t;#n;#r=0;#s=0;#a;#i=!1;#c;#l=-1;get last(){
return Math.max(0,this.record.positions.length-1)}get timeline(){return(!this.#c||this.#l!==this.record.version)&&(this.#c=zd(this.record.positions,this.record.
game),this.#l=this.record.version),this.#c}grew(){let t=this.index;this.follows?this.index=this.last:this.#s!==this.record.replaced&&(this.index=this.record.indexOf(
this.#r)),this.#s=this.record.replaced;let n=this.#n!==void 0;if(this.#o(),n&&this.#n===void 0&&this.#d(),this.record.isLive||this.index!==t)return this.changed();
this.#t??=setTimeout(()=>{this.#t=void 0,this.changed()},lh)}#o(){this.#n!==void 0&&(this.index=this.record.indexOf(this.#n)),this.#r=this.record.positions[this.
index]?.number??0,this.#r===this.#n&&(this.#n=void 0)}goTo(t){let{record:n}=this,r=Math.round(t),s=n.isLive||n.isWhole&&n.isFromBeginning||r>=0&&r<=this.last,o=(n.
positions[0]?.number??0)+r;this.#n=s?void 0:Math.min(n.info?.decisions??0,Math.max(0,o)),this.index=Math.min(this.last,Math.max(0,r)),this.#r=this.record.positions[this.
index]?.number??0,this.follows=this.record.isLive&&this.index===this.last,this.#d(),this.changed()}goToSeat(t,n){for(let r=this.index+n;r>0&&r<=this.last;r+=n)if(this.
record.positions[r]?.played?.seat===t)return this.goTo(r)}goToFault(t){let n=this.timeline.marks.filter(({kind:s})=>s==="fault").map(({index:s})=>s),r=t>0?n.find(
s=>s>this.index):n.findLast(s=>s<this.index);r!==void 0&&this.goTo(r)}get viewSeat(){return typeof this.seat=="number"&&this.record.hasView(this.seat)?this.seat:
void 0}get showsAll(){return this.seat==="all"&&this.record.hasAllViews}position(){let t=this.record.positions[this.index];return t&&bs(t,this.viewSeat)}viewAs(t){
(t==="all"?!this.record.hasAllViews:t!==void 0&&!this.record.hasView(t))||(this.seat=t,this.#d(),this.changed())}setSpeed(t){this.speed=t,this.#d(),this.isPlaying&&
this.#u(),this.changed()}changeSpeed(t){let n=St.findIndex(s=>s===this.speed),r=St[n+t];r!==void 0&&this.setSpeed(r)}togglePlaying(){this.isPlaying=!this.isPlaying,
this.isPlaying?(this.index>=this.last&&!this.record.isLive&&this.goTo(0),this.#u()):clearInterval(this.#e),this.changed()}#u(){clearInterval(this.#e),this.#e=setInterval(
()=>{this.index<this.last?this.goTo(this.index+1):this.record.isLive||this.togglePlaying()},1e3/this.speed)}notify(t){this.notice!==t&&(this.notice=t,this.changed())}toggleHelp(){
this.showsHelp=!this.showsHelp,this.changed()}showLegal(t){this.showsLegal!==t&&(this.showsLegal=t,this.changed())}viewState(t=this.index){let n=this.record.positions[t]?.
number;return{at:(this.record.isLive?t===this.last&&this.follows:n===0)?void 0:n,seat:this.seat,speed:this.speed}}href(t){return`${this.mark}${_s({...this.viewState(),
at:this.record.positions[t]?.number})}`}#d(){if(this.#a!==void 0){this.#i=!0;return}this.#i=!1,this.#a=setTimeout(()=>{this.#a=void 0,this.#i&&this.#d()},ch);let t=_s(
this.viewState()),n=t===""?this.mark==="?"?location.pathname:"#":`${this.mark}${t}`;history.replaceState(history.state,"",n)}close(){clearInterval(this.#e),clearTimeout(
this.#t),clearTimeout(this.#a)}};function Ss(e){return!e.match&&!e.position}var mt=class{info;positions=[];views;version=0;replaced=0;constructor(t,n){this.views=t,this.info=n}add(t){if(t.match){
let r=t.match.config??this.info?.config;this.info=t.match,r&&(this.info.config=r)}this.version+=1;let{position:n}=t;n&&n.number>=this.next&&this.positions.push(
n)}replaceBy(t){this.info=t.info,this.positions=t.positions,this.views=t.views,this.version+=1,this.replaced+=1}get next(){let t=this.positions.at(-1);return t?
t.number+1:0}get isFromBeginning(){return(this.positions[0]?.number??0)===0}get isLive(){let t=this.info?.state;return t===1||t===2}get isWhole(){return!this.isLive&&
this.next>(this.info?.decisions??0)}indexOf(t){let n=this.positions.findLastIndex(r=>r.number<=t);return Math.max(0,n)}observation(t,n){let r=this.positions[t]?.
observations;return(n===void 0?void 0:r?.[this.#e(n)])??r?.[0]}#e(t){if(this.views==="all")return t+1;let n=this.views.indexOf(t);return n<0?n:n+1}hasView(t){return t<
this.seats&&this.positions[0]?.observations[this.#e(t)]!==void 0}get hasAllViews(){let{seats:t}=this;return t>0&&Array.from({length:t},(n,r)=>r).every(n=>this.hasView(
n))}get game(){return U(this.info?.config?.game)??U(this.positions[0]?.observations[0])}get seats(){return this.info?.config?.seats||this.info?.seats.length||this.
positions[0]?.bankLeftMs.length||0}name(t){let{info:n}=this;return n?.seats.find(s=>s.seat===t)?.botName||n?.result?.seats.find(s=>s.seat===t)?.botName||""}};var Es=32;function An({seat:e,notation:t}){return t===""?`seat ${e} decided`:`seat ${e}: ${A(t)}`}function da(e){switch(e){case 2:return"forced";case 3:return"b\
y the house";case 4:return"from the replay";default:return""}}function dh(e,t,n){let{played:r,lines:s,faults:o}=t,a=da(r?.decidedBy);return u`<li data-index=${n}><a href=${e.
href(n)} @click=${i=>{i.ctrlKey||i.metaKey||i.shiftKey||(i.preventDefault(),e.goTo(n))}}><span class="number">${t.number}</span>${r?u`${F(r.seat)}<span class="line decision">${An(
r)}</span>${a?u` <small>${a}</small>`:void 0}`:u`<span class="line beginning">start</span>`}</a>
    ${r?.note?u`<p class="note"><q><bdi>${A(r.note)}</bdi></q></p>`:void 0}${o.length+s.length===0?void 0:u`<ul>${o.map(({seat:i,fault:c})=>u`<li class="fault">seat ${i}: fault ${ut(
c?.reason)},
      costs ${(wo[c?.action??0]??"").toLowerCase()}${c?.detail?u`: <bdi>${A(c.detail)}</bdi>`:void 0}</li>`)}${s.map(i=>u`<li class="event">${A(i)}</li>`)}</ul>`}</li>`}
function Hd(e){let{record:t}=e,n=Array.from({length:Math.ceil(t.positions.length/Es)},(r,s)=>{let o=t.positions.slice(s*Es,(s+1)*Es);return ae([o.length,t.replaced,
e.seat,e.viewSeat,e.speed],()=>o.map((a,i)=>dh(e,bs(a,e.viewSeat),s*Es+i)))});return u`<section class="panel transcript" aria-label="transcript"><h2>Transcript</h2>${t.
isLive?u`<div class="scroll" role="log" aria-live="polite" tabindex="0" aria-label="events"><ol>${n}</ol></div>`:u`<div class="scroll" role="region" tabindex="0" aria-label="events"><ol>${n}</ol></div>`}</section>`}
function jd(e,t){let n=e.querySelector(".transcript .scroll"),r=n?.firstElementChild,s=r?.querySelector('[aria-current="step"]'),o=r?.children[t]?.firstElementChild;
if(s!==o&&(s?.removeAttribute("aria-current"),o?.setAttribute("aria-current","step")),!n||!o||s===o)return;let[a,i]=[n.getBoundingClientRect(),o.getBoundingClientRect()];
(i.top<a.top||i.bottom>a.bottom-40)&&(n.scrollTop+=i.top-a.top-a.height/3)}var Ge=40,Rs=120;function ua(e,t){return t<=0?0:Math.sqrt(e/t)*(Ge-6)}function Zn(e,t,n){let r="";return e.forEach((s,o)=>{if(s?.seat!==t)return;let[a,i]=n(s);i>
a&&(r+=`M${o} ${(Ge-a).toFixed(1)}V${(Ge-i).toFixed(1)}`)}),r}function uh(e,t,n){let r=e.record.isFromBeginning?e.timeline.thinks:[],s=d=>ua(d.thinkingMs-d.lagMs,
n),o=d=>ua(d.thinkingMs,n),a=d=>ua(d.thinkingMs+d.creditMs,n),i=e.record.positions.map(({bankLeftMs:d})=>d[t]??0),c=Math.max(1,...i),l=i.map((d,p)=>`${p===0?"M":
"L"}${p} ${(Ge-2-d/c*(Ge-6)).toFixed(1)}`);return b`<g class=${le(t)}>
    <path d="M0 ${Ge}H${Math.max(1,e.last)}" class="axis"/>
    <path d=${Zn(r,t,d=>[0,s(d)])} class="think"/>
    <path d=${Zn(r,t,d=>[s(d),o(d)])} class="think-lag"/>
    <path d=${Zn(r,t,d=>[o(d),a(d)])} class="think-credit"/>
    <path d=${Zn(r,t,d=>d.isLate?[0,Ge]:[0,0])} class="think-late"/>
    <path d=${Zn(r,t,d=>d.isSubstituted?[0,Ge/3]:[0,0])} class="think-house"/>
    <path d=${l.join("")} class="bank"/></g>`}function mh(e){let t=e.timeline.points,n=t.flat(),[r,s]=[Math.min(0,...n),Math.max(1,...n)],o=a=>(Rs-4-(a-r)/(s-r)*
(Rs-10)).toFixed(1);return Array.from({length:e.record.seats},(a,i)=>{let c=t.map((l,d)=>`${d===0?"M":"H"}${d}${d===0?" ":"V"}${o(l[i]??0)}`);return b`<path d=${c.
join("")} class="score-line ${le(i)} dash-${i}"/>`})}function qd(e){return t=>{let n=t.currentTarget.getBoundingClientRect();e.goTo((t.clientX-n.left)/n.width*e.
last)}}function eu(e,t){return b`<path d="M${e.index} 0V${t}" class="cursor"/>`}function tu(e){let{record:t,last:n}=e,r=Math.max(1,n),s=Array.from({length:t.seats},
(l,d)=>d),{thinks:o}=e.timeline,a=Math.max(0,...o.map(l=>l?l.thinkingMs+l.creditMs:0)),i=e.timeline.points[e.index]??[],c=[t.version,t.seats];return u`<section class="panel charts" aria-label="charts">
    <h2>Thinking time <small>bars: thinking <i class="key think-key"></i>, server’s lag <i class="key lag-key"></i>, credited <i class="key credit-key"></i>;
      late <i class="key late-key"></i>, by the house <i class="key house-key"></i>; line: bank left. Longest ${te(a)}</small></h2>
    ${s.map(l=>u`<div class="strip">${F(l)}<svg viewBox="0 0 ${r} ${Ge}" preserveAspectRatio="none" role="img"
        aria-label="time of seat ${l}" @click=${qd(e)}>${ae(c,()=>uh(e,l,a))}${eu(e,Ge)}</svg>
        <span class="now">${te(t.positions[e.index]?.bankLeftMs[l]??0)}</span></div>`)}
    <h2>${t.game?.pointsName??"points"} by decision</h2>
    <div class="strip"><span class="badge"></span><svg class="score" viewBox="0 0 ${r} ${Rs}" preserveAspectRatio="none" role="img" aria-label="points by decision"
      @click=${qd(e)}>${ae(c,()=>mh(e))}${eu(e,Rs)}</svg>
      <ul class="now">${s.map(l=>u`<li>${F(l)}${i[l]??0}</li>`)}</ul></div></section>`}var nu=Fe(class extends Ve{constructor(e){if(super(e),e.type!==pe.PROPERTY&&e.type!==pe.ATTRIBUTE&&e.type!==pe.BOOLEAN_ATTRIBUTE)throw Error("The `live` directi\
ve is not allowed on child or event bindings");if(!Or(e))throw Error("`live` bindings can only contain a single expression")}render(e){return e}update(e,[t]){if(t===
D||t===C)return t;let n=e.element,r=e.name;if(e.type===pe.PROPERTY){if(t===n[r])return D}else if(e.type===pe.BOOLEAN_ATTRIBUTE){if(!!t===n.hasAttribute(r))return D}else if(e.
type===pe.ATTRIBUTE&&n.getAttribute(r)===t+"")return D;return Kr(e),t}});var ph={first:"M5 5H7.5V19H5ZM19 5V19L8.5 12Z",previous:"M16 5V19L6 12Z",play:"M7 4.5V19.5L19.5 12Z",pause:"M6 5H10.5V19H6ZM13.5 5H18V19H13.5Z",next:"M8 5V19L18\
 12Z",last:"M16.5 5H19V19H16.5ZM5 5V19L15.5 12Z"};function Vn(e,t,n,r=!1){return u`<button type="button" class="icon" aria-label=${t} title=${t} ?disabled=${r} @click=${n}>
    <svg viewBox="0 0 24 24" aria-hidden="true"><path d=${ph[e]} fill="currentColor"/></svg></button>`}function gh({kind:e}){return e==="fault"?"M-4-4L4 4M4-4L-\
4 4":e==="jump"?"M-4.5 4L0-4L4.5 4Z":"M0-4.5A4.5 4.5 0 1 1-0.01-4.5Z"}function fh(e){let t=Math.max(1,e.last);return u`<svg class="marks" width="100%" height="14" aria-hidden="true">${e.
timeline.marks.map(n=>b`<svg
    x="${n.index/t*100}%" overflow="visible" class="scrub-mark mark-${n.kind}" @click=${()=>e.goTo(n.index)}>
    <title>decision ${e.record.positions[n.index]?.number??0}: ${n.text}</title>
    <rect x="-7" width="14" height="14" fill="transparent"/><path transform="translate(0 7)" d=${gh(n)}/></svg>`)}</svg>`}function ru(e){let{index:t,last:n,record:r,
isPlaying:s}=e,o=e.position(),a=o?.number??0,i=r.positions.at(-1)?.number??0,c=o?.played?`decision ${a} of ${i}: ${An(o.played)}`:`start, ${i} decisions`;return u`<div class="controls" role="group" aria-label="position">
    <div class="scrub">${fh(e)}<input type="range" min="0" max=${n} .value=${nu(String(t))} aria-label="position"
      aria-valuetext=${c} @input=${l=>e.goTo(Number(l.target.value))}></div>
    <div class="buttons">
      ${Vn("first","first position",()=>e.goTo(0),t===0)}
      ${Vn("previous","previous decision",()=>e.goTo(t-1),t===0)}
      ${Vn(s?"pause":"play",s?"pause":"play",()=>e.togglePlaying())}
      ${Vn("next","next decision",()=>e.goTo(t+1),t>=n)}
      ${Vn("last",r.isLive?"newest position, and follow":"last position",()=>e.goTo(n),t>=n)}
      <output class="count"><b>${a}</b> / ${i}</output>
      <label class="speed"><span>speed</span><select aria-label="decisions per second" @change=${l=>e.setSpeed(Number(l.target.value))}>${St.map(l=>u`<option value=${l} ?selected=${l===
e.speed}>${l}/s</option>`)}</select></label>
      <button type="button" class="text" title="keyboard" aria-expanded=${e.showsHelp} @click=${()=>e.toggleHelp()}>?<span class="wide"> keys</span></button>
    </div></div>`}var hh=200;function bh(e){let t=e.position()?.played,{game:n}=e.record;if(!t||!n)return u``;let r=t.legalDecisions.map(a=>n.notation(a)),s=r.indexOf(t.notation),
o=r.map((a,i)=>({name:a,place:i})).filter(({place:a})=>a<hh||a===s);return u`<p>${r.length} legal${t.legalDecisionsCut?" in a truncated list":""}${s>=0?u`; chosen: number <b>${s}</b>`:
void 0}</p>
    <ol class="legal">${o.map(({name:a,place:i})=>u`<li class=${i===s?"chosen":""} value=${i}>${i===s?u`<b>${a}</b> ✓`:a}</li>`)}</ol>
    ${o.length<r.length?u`<p class="quiet">and ${r.length-o.length} more</p>`:void 0}`}function su(e){let t=e.position(),n=t?.played;if(!n)return u`<section class="panel inspector" aria-label="decision"><h2>Decision</h2><p class="quiet">The start of the match.</p></section>`;
let{charge:r}=n,s=da(n.decidedBy),o=i=>te(Number(i)/1e3),a=n.legalDecisions.length;return u`<section class="panel inspector" aria-label="decision"><h2>Decision ${t.
number}</h2>
    <p class="chosen-now">${F(n.seat)} <b>${n.notation===""?"decided":A(n.notation)}</b>${s?u` <span class="tag">${s}</span>`:void 0}</p>
    ${r?u`<dl><div><dt>charged</dt><dd>${o(r.chargedUs)}</dd></div>${r.unchargedUs>0n?u`<div><dt>not charged</dt><dd>${o(r.unchargedUs)}</dd></div>`:void 0}<div><dt>elapsed</dt><dd>${o(
r.elapsedUs)}</dd></div>
      <div><dt>credit</dt><dd>${o(r.creditUs)}</dd></div>${r.refereeLagUs>0n?u`<div><dt>server’s lag</dt><dd>${o(r.refereeLagUs)}</dd></div>`:void 0}</dl>`:void 0}
    ${n.note?u`<blockquote><bdi>${A(n.note)}</bdi></blockquote>`:void 0}
    ${a>0?u`<details ?open=${e.showsLegal} @toggle=${i=>e.showLegal(i.currentTarget.open)}>
      <summary>legal decisions</summary>${e.showsLegal?ae([e.index,e.record.version,e.viewSeat],()=>bh(e)):void 0}</details>`:void 0}
    <h3>changes</h3>${t.lines.length===0?u`<p class="quiet">no visible changes</p>`:u`<ul class="changes" tabindex="0" aria-label="changes">${t.lines.map(i=>u`<li>${A(
i)}</li>`)}</ul>`}</section>`}var Sh={0:"",1:"no bot yet",2:"",3:"stream lost",4:"forfeited"};function Eh(e,t,n){let{record:r}=e,s=r.info?.seats.find(p=>p.seat===t),o=r.info?.result?.seats.find(
p=>p.seat===t),a=r.name(t),i=s?.botVersion||o?.botVersion,c=r.positions[e.index]?.bankLeftMs[t],l=r.isLive?Sh[s?.state??0]:o?.forfeit?`forfeited: ${ut(o.forfeit)}`:
"",d=r.isWhole&&e.index===e.last;return u`<li class=${n.includes(t)?"decides":""}>
    <div class="who">${F(t)}<span class="name">${a===""?u`<i>seat ${t}</i>`:e.mark==="?"?u`<a href=${Et(a)}><bdi>${A(a)}</bdi></a>`:u`<bdi>${A(a)}</bdi>`}${i?u` <small><bdi>${A(
i)}</bdi></small>`:void 0}</span>
      ${n.includes(t)?u`<span class="tag">to decide</span>`:void 0}
      ${d&&o?u`<span class="place place-${o.place}">place ${o.place}</span>`:void 0}</div>
    <div class="facts">${d&&o?Rh(o):u`<span><b>${e.timeline.points[e.index]?.[t]??0}</b> ${r.game?.pointsName??"points"}</span>`}
      ${c===void 0?void 0:u`<span title="time left in the bank">${te(c)} left</span>`}
      ${l?u`<span class="tag warn">${l}</span>`:void 0}${s&&s.strikes>0?u`<span class="tag warn">${s.strikes} ${s.strikes===1?"strike":"strikes"}</span>`:void 0}
      <span class="acts"><button type="button" class="small" aria-pressed=${e.viewSeat===t} ?disabled=${!r.hasView(t)}
        title=${r.hasView(t)?`show the view of seat ${t}`:"available when the match is over"} @click=${()=>e.viewAs(e.viewSeat===t?void 0:t)}>view as</button>
      <button type="button" class="small" aria-label="previous decision of seat ${t}" title="previous decision of seat ${t}" @click=${()=>e.goToSeat(t,-1)}>◂</button>
      <button type="button" class="small" aria-label="next decision of seat ${t}" title="next decision of seat ${t}" @click=${()=>e.goToSeat(t,1)}>▸</button></span></div></li>`}
function Rh({score:e,breakdown:t}){return t.length===0?u`<span>score <b>${e}</b></span>`:u`<details class="breakdown"><summary>score <b>${e}</b></summary><dl>${t.
map(n=>u`<div><dt>${A(n.category).replace(/_/g," ")}</dt><dd>${n.points}</dd></div>`)}</dl></details>`}function ou(e,t){let n=Array.from({length:e.record.seats},
(r,s)=>s);return u`<section class="panel seats" aria-label="seats"><h2>Seats <button type="button" class="small" aria-pressed=${e.showsAll} ?disabled=${!e.record.
hasAllViews}
    title=${e.record.hasAllViews?"show the views of all seats, side by side":"available when the match is over"} @click=${()=>e.viewAs(e.showsAll?void 0:"all")}>view all</button></h2><ul>${n.
map(r=>Eh(e,r,t))}</ul></section>`}function Ah(e){let{info:t}=e.record;switch(t?.state){case 1:return u`<span class="tag">waiting for bots</span>`;case 2:return u`<span class="tag live">live</span>`;case 4:
return u`<span class="tag warn">cancelled</span>`;default:return u`<span class="tag">${t?.annulment?"annulled":"ended"}</span>`}}function Zh(e,t){let{record:n}=e,
{info:r}=n,s=n.positions[e.index];return u`<header class="match-head"><div><h1>${n.game?.name??"A match"}</h1>${Ah(e)}
      <span class="id quiet"><bdi>${A(r?.matchId??"")}</bdi></span></div>
    <p class="status" aria-live=${n.isLive?"polite":"off"}>${t}${s?u`<span class="quiet"> · ${te(Number(s.atMs))} after the start</span>`:void 0}</p>
    ${e.notice?u`<p class="notice" role="status">${e.notice}</p>`:void 0}
    ${r?.cancellation?u`<p class="notice">Cancelled: <bdi>${A(r.cancellation.reason)}</bdi></p>`:void 0}
    ${r?.annulment?u`<p class="notice">Annulled: <bdi>${A(r.annulment.detail)}</bdi></p>`:void 0}</header>`}function Vh(e){return u`<div class="help" role="dialog" aria-modal="false" aria-label="keyboard"><div class="panel"><h2>Keyboard</h2><dl>${Kd.
map(([t,n])=>u`<div><dt>${t.split(" ").map(r=>u`<kbd>${r}</kbd> `)}</dt><dd>${n}</dd></div>`)}</dl><p class="quiet">On a touch screen, swipe the board to the left or right.</p>
    <button type="button" class="text" @click=${()=>e.toggleHelp()}>close</button></div></div>`}function au(e,t){let{record:n,index:r}=e,s=n.observation(r,t),o=U(
s);return!s||!o?u`<p class="panel quiet empty">${n.positions.length>0?"This page does not support the game; see the transcript.":"The match has not started."}</p>`:
o.board({observation:s,config:n.info?.config?.game,events:n.positions[r]?.events??[],frame:n.isLive?void 0:Gh(e,o,s),names:Array.from({length:n.seats},(a,i)=>n.
name(i))})}function vh(e){let{record:t}=e;return u`<div class="all-seats">${Array.from({length:t.seats},(n,r)=>u`<section class="seen" aria-label="view of seat ${r}">
    <h2>${F(r)} view of seat ${r} <small><bdi>${A(t.name(r))}</bdi></small></h2>${au(e,r)}</section>`)}</div>`}function Gh(e,t,n){return e.record.positions.findLast(
({observations:[s]})=>s!==void 0&&s.game.case===n.game.case&&t.continuesIn(n,s))?.observations[0]}function xh(e){if(!(e.viewSeat===void 0&&!e.showsAll))return u`<p class="view-notice">${e.
showsAll?"views of all seats":`view of seat ${e.viewSeat}`}
    <button type="button" class="small" @click=${()=>e.viewAs(void 0)}>back to the spectators’ view</button></p>`}function iu(e){let{record:t,index:n}=e,r=t.observation(
n,e.viewSeat),s=U(r),o=r&&s?s.status(r):t.isLive?"waiting for bots":"",a=r&&s?s.toDecide(r):[];return u`<main class="match ${e.showsAll?"wide":""}">${Zh(e,o)}
    <div class="stage"><section aria-label="board" @touchstart=${pt.start} @touchend=${i=>pt.end(e,i)}>
      ${xh(e)}${e.showsAll?vh(e):au(e,e.viewSeat)}</section>${ru(e)}${tu(e)}</div>
    <aside aria-label="details">${ou(e,a)}${su(e)}${Hd(e)}</aside>
    ${e.showsHelp?Vh(e):void 0}</main>`}var Ih=50,pt={from:void 0,start(e){pt.from=e.touches.length===1?e.touches[0]:void 0},end(e,t){let n=t.changedTouches[0];
if(!pt.from||!n)return;let[r,s]=[n.clientX-pt.from.clientX,n.clientY-pt.from.clientY];Math.abs(r)>Ih&&Math.abs(r)>2*Math.abs(s)&&e.goTo(e.index+(r<0?1:-1)),pt.from=
void 0}};var lu=15e3,Nh=7,Mh=4294967295;function du(e){return[Y(Tr,{}),...e.map(t=>Y(Tr,{seat:t}))]}var pa=e=>({case:"matchId",value:e});async function Fh(e,t,{at:n,seat:r}){
let s=async o=>{let a=new mt(o),i=new AbortController,c={source:pa(t),viewers:du(o),fromDecision:n??0};for await(let l of e.watchPositions(c,{signal:i.signal}))
if(!Ss(l)){a.add(l);break}return i.abort(),a};if(typeof r!="number")return s([]);try{return await s([r])}catch(o){if(W(o).isTemporary)throw o;return s([])}}async function ma(e,t,n,r,s){
let o=t.isFromBeginning&&String(t.views)===String(n),a=t.next,i=o?t:new mt(n,t.info),c=new ms,l={source:pa(t.info?.matchId??""),viewers:du(n),fromDecision:i.next};
for await(let d of e.watchPositions(l,s?{signal:s}:{}))if(!Ss(d)){if(i.add(d),i!==t&&i.next>=a&&(t.replaceBy(i),i=t),i===t&&r())return;await c.next()}}async function Yh(e,t,n){
let r=Array.from({length:t.seats},(s,o)=>o);try{return await ma(e,t,r,n)}catch(s){if(W(s).isTemporary||String(t.views)===String(r))throw s}await ma(e,t,await uu(
e,t.info),n)}async function Wh(e,t,n,r){let s=new AbortController,o=()=>document.hidden&&s.abort();document.addEventListener("visibilitychange",o);try{let a=cu(
t.info),i=n?await uu(e,t.info):[],c=!1;return await ma(e,t,i,()=>(r(),c=n&&cu(t.info)!==a,c),s.signal),c||s.signal.aborted}catch(a){if(!s.signal.aborted)throw a;
return!0}finally{document.removeEventListener("visibilitychange",o),s.abort()}}var cu=e=>JSON.stringify(e?.seats.map(({botName:t})=>t));async function uu(e,t){if(!t||
!$s())return[];let n=new Map;for(let{seat:s,botName:o}of t.seats)o&&n.set(o,[...n.get(o)??[],s]);let r=[];for(let s of n.values())await Ch(e,t.matchId,s[0]??0)&&
r.push(...s);return r.sort((s,o)=>s-o)}async function Ch(e,t,n){let r=new AbortController;try{let s=[Y(Tr,{seat:n})],o={source:pa(t),viewers:s,fromDecision:Mh};
for await(let a of e.watchPositions(o,{signal:r.signal}))if(!Ss(a))break;return!0}catch(s){if(W(s).isTemporary)throw s;return!1}finally{r.abort()}}async function Th(e,t,n,r){
let s=new se(lu);for(let o=Nh-1;;o--){try{return await Fh(e,t,n)}catch(a){let i=W(a);if(!i.isTemporary||o===0)throw a;r.notice(`The match is not available (${i.
text}); retrying.`)}await s.wait()}}async function As(e,t,n){let r=Mt(),s=await Th(r,e,t,n),o=t.seat!=="all"||s.isLive;o&&(n.opened(s),await $d());let a=new se(
lu),i=()=>{if(a.reset(),n.notice(""),o)return n.grew();o=!0,n.opened(s)};for(;;){await ps();try{if(s.info?.state===4)return;if(!s.isLive)return await Yh(r,s,i),
i();if(await Wh(r,s,t.ownSeats&&$s(),i)||(s.info=(await r.getMatch({matchId:e})).match??s.info,i(),!s.isLive))continue}catch(c){let l=W(c);if(!l.isTemporary)throw c;
n.notice(`The connection is lost (${l.text}); reconnecting.`)}document.hidden||await a.wait()}}var mu=8e3,Zs=class{constructor(t,n){this.name=n;this.#t={authorization:`Bearer ${t}`}}name;#e=Cl();#t;#n=!1;async hold(t){let n=new se(mu);for(;;){let r=!1;try{
let s={protocolRevision:1,botName:this.name,botVersion:"page"};for await(let{message:o}of this.#e.watchSeat({hello:s},{headers:this.#t})){if(this.#n)return;o&&(n.
reset(),t.notice(""),r||=o.message.case==="matchEnded",t.message(o))}if(r)return;t.notice("The connection is lost; reconnecting.")}catch(s){if(r)return;let o=W(
s);if(!o.isTemporary)throw s;t.notice(`The connection is lost (${o.text}); reconnecting.`)}if(await n.wait(),this.#n)return}}async decide(t,n,r,s){let o={requestId:t,
choice:{case:"index",value:n},note:r},a=new se(mu);for(;;){try{return(await this.#e.decide({decision:o},{headers:this.#t})).rejected}catch(i){if(!W(i).isTemporary&&
Xe(i)!=="HELLO_EXPECTED")throw i}if(await a.wait(),this.#n||!s())return}}async resign(){await this.#e.resignSeat({},{headers:this.#t})}close(){this.#n=!0}};var Vs=class{constructor(t){this.decisions=t;this.#t=t.map((n,r)=>r)}decisions;path=[];#e=0;#t;get options(){let t=new Map;for(let n of this.#t){let r=this.decisions[n]?.[this.#e];
r&&!t.has(r.key)&&t.set(r.key,r)}return[...t.values()]}choose(t){let n=this.options.find(r=>r.key===t);if(n){for(this.path.push(n),this.#t=this.#t.filter(r=>this.
decisions[r]?.[this.#e]?.key===t),this.#e+=1;this.options.length===1;)this.path.push(...this.options),this.#e+=1;return this.#t.length===1||this.options.length===
0?this.#t[0]:void 0}}reset(){this.path.length=0,this.#e=0,this.#t=this.decisions.map((t,n)=>n)}};var kh=250,Xh=340,Lh=3,Uh=1500;function Bh(e){let{game:t}=e.game??{};if(!t?.case||!t.value.observation)return;let n=s=>({game:{case:t.case,value:s}}),r=t.value.
events.map(s=>n(s));return{observation:n(t.value.observation),events:r}}var pu={TICKET_UNKNOWN:"This ticket does not belong to a match of this server.",TICKET_MISSING:"\
The ticket is not valid: it contains characters that tickets never have.",SUPERSEDED:"The seat is now played elsewhere: in another tab, or by a program.",SEAT_CLOSED:"\
The seat is forfeited; the house plays it to the end.",MATCH_CANCELLED:"The match was cancelled.",SEAT_OF_ANOTHER_KEY:"The seat belongs to another API key."},vs=class{constructor(t,n){
this.stored=t;this.changed=n;this.#t=new Zs(t.ticket,t.name),this.#n=setInterval(()=>this.request&&n(),kh),this.#a()}stored;changed;started;ended;seats=new Map;request;choosing;lastRequest;isSending=!1;decided="";noted="";note="";#e=0;refused="";notice="";failure;record;showsPublic=!1;confirmsResign=!1;#t;#n;#r=0;#s;get seat(){
return this.started?.seat??0}get game(){return U(this.started?.config?.game)}get decisionLeftMs(){return Math.max(0,(this.request?.clock?.decisionLeftMs??0)-(performance.
now()-this.#r))}get bankLeftMs(){return Math.max(0,(this.request?.clock?.bankLeftMs??0)-(performance.now()-this.#r))}get noteLength(){return Math.min(Xh,Math.floor(
this.#e/Lh))}name(t){return this.seats.get(t)?.botName||""}get picking(){if(!this.choosing||this.isSending)return;let t=new Map(this.choosing.options.map(({key:n,
label:r})=>[n,r]));return{seat:this.seat,keys:t,pick:n=>this.pick(n)}}async#a(){try{await this.#t.hold({message:t=>this.#i(t),notice:t=>{this.notice!==t&&(this.
notice=t,this.changed())}})}catch(t){let n=Xe(t),r=W(t),s=n.startsWith("KEY_")||n==="SCOPE_MISSING";this.failure={...r,needsKey:s,reason:n,text:pu[n]??r.text},this.#o(),
this.changed()}}#i({message:t}){switch(t.case){case"welcome":this.#e=t.value.noteBytesLeft;break;case"matchStarted":this.#c(t.value);break;case"decisionRequest":
this.#l(t.value);break;case"seatStatus":{let{seat:n}=t.value;n&&this.seats.set(n.seat,n);break}case"matchEnded":this.ended=t.value,this.#o();break;default:return}
this.changed()}#c(t){this.started=t,this.seats=new Map(t.seats.map(n=>[n.seat,n])),this.#o(),this.record||this.#u(t.matchId)}#l(t){let n=Bh(t);if(this.#r=performance.
now(),this.request=t,this.refused="",clearTimeout(this.#s),this.showsPublic=!1,!n||!t.game)return;this.lastRequest=n;let r=U(t.game);this.choosing=r&&new Vs(r.choices(
t.game,this.started?.config?.game))}#o(){this.request=void 0,this.choosing=void 0,this.confirmsResign=!1}async#u(t){try{await As(t,{at:void 0,seat:void 0,ownSeats:!1},
{opened:n=>this.record=n,grew:()=>this.changed(),notice:()=>{}})}catch{}}pick(t){if(!this.choosing||this.isSending)return;let n=this.choosing.choose(t);this.changed(),
n!==void 0&&this.#d(n)}back(){this.choosing?.reset(),this.changed()}async#d(t){let{request:n,choosing:r,note:s}=this;if(!n)return;let o=()=>this.request===n;this.
isSending=!0,this.decided=r?.path.map(({label:a})=>a).join(", ")??"",this.noted=s,this.changed();try{let a=await this.#t.decide(n.requestId,t,s,o);a||this.#m(s),
o()&&(a&&a.openRequestId===n.requestId?(this.refused=`Refused: ${A(a.detail)}`,r?.reset()):(a&&(this.refused=`Refused: ${A(a.detail)}`),this.#o(),this.#s=setTimeout(
()=>{this.showsPublic=!0,this.changed()},Uh)))}catch(a){this.refused=`The decision was not accepted: ${A(pu[Xe(a)]??W(a).text)}`,o()&&r?.reset()}this.isSending=
!1,this.changed()}#m(t){this.#e-=new TextEncoder().encode(t).length,this.note===t&&(this.note="")}confirmResign(t){this.confirmsResign=t,this.changed()}async resign(){
this.confirmsResign=!1;try{await this.#t.resign()}catch(t){this.refused=A(W(t).text)}this.changed()}close(){clearInterval(this.#n),clearTimeout(this.#s),this.#t.
close()}};var ga="bridgemaster-seat";function gu(){let e=new URLSearchParams(location.hash.slice(1)).get("ticket");location.hash&&(history.replaceState(history.state,"",location.
pathname+location.search),e&&e!==fa()?.ticket&&Tt({ticket:e,name:""}))}function fa(){try{let e=JSON.parse(sessionStorage.getItem(ga)??"null");if(typeof e!="obje\
ct"||e===null)return;let{ticket:t,name:n}=e;return typeof t=="string"&&typeof n=="string"?{ticket:t,name:n}:void 0}catch{return}}function Tt(e){e?sessionStorage.
setItem(ga,JSON.stringify(e)):sessionStorage.removeItem(ga)}var wh=3e4,_h=40;function fu(e,t){return u`<main class="plain"><div class="panel empty"><h1>Play a seat</h1>
    <p>${e?"This link contains the ticket of a seat.":"The creator of a match receives a ticket for each seat. Paste the ticket of your seat."}
      Once you have taken the seat, its clock runs, even while this page is closed.</p>
    <form class="seat-form" @submit=${n=>{n.preventDefault();let{elements:r}=n.currentTarget,s=o=>r.namedItem(o)?.value.trim()??"";t({ticket:e?.ticket??s("ticke\
t"),name:s("name")})}}>${e?void 0:u`<label>Ticket <input name="ticket" autocomplete="off" required></label>`}
      <label>Your name <input name="name" autocomplete="off" maxlength="64" required value="human"></label>
      <button type="submit">Take the seat</button></form></div></main>`}function $h(e){if(!e.request)return;let t=e.decisionLeftMs;return u`<p class="play-clock ${t<
wh?"urgent":""}" role="timer" aria-label="time"><b>${te(t)}</b> for this decision
    <span class="quiet">${te(e.bankLeftMs)} in the bank</span></p>`}function Jh(e){let{choosing:t,picking:n}=e;if(!(!t||!n))return u`<ol class="options" aria-label="your options">${t.
options.map(({key:r,label:s,picture:o},a)=>u`<li><button
    type="button" class=${o?"with-picture":""} @click=${()=>e.pick(r)}>${o}<span>${s}</span>${a<9?u`<kbd aria-hidden="true">${a+1}</kbd>`:void 0}</button></li>`)}</ol>
    ${t.path.length>0?u`<p><button type="button" class="small back" @click=${()=>e.back()}>◂ start over</button></p>`:void 0}`}function Dh(e){if(!(!e.picking||
e.noteLength<1))return u`<label class="noting">Note on this decision, visible to others after the match <input autocomplete="off"
    maxlength=${e.noteLength} .value=${e.note} @input=${t=>e.note=t.target.value}></label>`}function Oh(e){let{choosing:t}=e,n=t?.path.map(({label:r})=>r).join(
", ");return u`<section class="panel deciding ${e.request&&!e.isSending?"yours":""}" aria-label="your decision">
    <div role="status"><h2>${e.ended?"The match is over":e.isSending?"Sending your decision…":e.request?n?`You ${n}…`:"Your turn to decide":e.started?"Waiti\
ng for other seats to decide":"Waiting for other players to join"}</h2></div>
    ${$h(e)}
    ${e.refused?u`<p class="notice" role="alert">${e.refused}</p>`:void 0}
    ${e.notice?u`<p class="notice" role="status">${e.notice}</p>`:void 0}
    ${Jh(e)}${Dh(e)}
    ${e.request?.legalDecisionsCut?u`<p class="quiet">Only the first of the legal decisions are listed.</p>`:void 0}
    ${e.decided&&!e.ended?u`<p class="quiet">You decided: ${e.decided}${e.noted?u` — <q><bdi>${A(e.noted)}</bdi></q>`:void 0}</p>`:void 0}
    ${Ph(e)}${Kh(e)}</section>`}function Kh(e){if(!(!e.started||e.ended))return e.confirmsResign?u`<p class="resign">Resign the match? <button type="button" class="small" @click=${()=>{
e.resign()}}>Resign for good</button>
    <button type="button" class="small" @click=${()=>e.confirmResign(!1)}>Keep playing</button></p>`:u`<p class="resign"><button type="button" class="small" @click=${()=>e.
confirmResign(!0)}>Resign</button></p>`}function Ph(e){let{ended:t}=e;if(!t?.result)return;let{matchId:n,seats:r}=t.result,s=r.find(({seat:a})=>a===e.seat),o=[...r].
sort((a,i)=>a.place-i.place);return u`<p class="own-place"><b>You finished in place ${s?.place??"?"}</b>${s?.forfeit?u` <span class="tag warn">forfeited: ${ut(s.
forfeit)}</span>`:void 0}</p>
    <table class="places"><thead><tr><th>place</th><th>seat</th><th>score</th></tr></thead><tbody>${o.map(a=>u`<tr>
      <td>${a.place}</td><td>${F(a.seat)} <bdi>${A(a.botName)}</bdi></td><td>${a.score}</td></tr>`)}</tbody></table>
    <p><a href="${Pe(n)}?seat=${e.seat}">View the match</a></p>
    <p><button type="button" class="small" @click=${()=>{Tt(void 0),location.assign(`${_}/play`)}}>Play another seat</button></p>`}function Qh(e){let t=[...e.seats.
values()].filter(({seat:r,state:s})=>r!==e.seat&&(s===3||s===1||s===4));if(t.length===0||e.ended)return;let n={3:"is disconnected",1:"has not joined",4:"has for\
feited"};return u`<ul class="panel away" aria-label="seats that are away">${t.map(({seat:r,state:s})=>u`<li>${F(r)} <bdi>${A(e.name(r)||`seat ${r}`)}</bdi> ${n[s]}</li>`)}</ul>`}
function zh(e){let t=e.record?.positions.slice(-_h)??[];if(t.length!==0)return u`<section class="panel transcript" aria-label="transcript"><h2>Transcript</h2>
    <div class="scroll" role="log" aria-live="polite" tabindex="0" aria-label="events"><ol>${t.map(({played:n,lines:r,number:s})=>u`<li>
      <p class="step"><span class="number">${s}</span>${n?u`${F(n.seat)}<span class="line decision">${An(n)}</span>`:u`<span class="line">start</span>`}</p>
      ${r.length===0?void 0:u`<ul>${r.map(o=>u`<li class="event">${A(o)}</li>`)}</ul>`}</li>`).reverse()}</ol></div></section>`}function Hh(e){let{record:t}=e,n=(t?.
positions.length??0)-1,r=e.ended!==void 0&&t!==void 0&&!t.isLive,s=n<0?void 0:t?.observation(n,r?e.seat:void 0),o=s!==void 0&&(r||e.lastRequest===void 0||e.showsPublic),
a=o?s:e.lastRequest?.observation,i=U(a);if(!a||!i)return u`<p class="panel quiet empty">${e.started?"The board is shown when it is your turn.":"The match has no\
t started."}</p>`;let c=o?t?.positions[n]?.events??[]:e.lastRequest?.events??[],l=o?void 0:e.picking;return u`${o&&!r?u`<p class="view-notice">spectators’ view, until it is your turn</p>`:
void 0}${i.board({observation:a,config:e.started?.config?.game,events:c,frame:void 0,names:Array.from({length:e.started?.config?.seats||e.seats.size},(d,p)=>e.name(
p)),...l?{picking:l}:{}})}`}function jh(e){let{failure:t}=e;if(!t)return;let n=u`<p>${t.reason==="SUPERSEDED"?u`<button type="button" @click=${()=>location.reload()}>Play it here</button> `:
void 0}<button type="button" @click=${()=>{Tt(void 0),location.reload()}}>Play another seat</button></p>`;return j(t,"This seat is not played in this tab",n)}function hu(e){
let t=jh(e);if(t)return t;let n=e.game?.name??"A match",r=e.lastRequest?.observation,s=r&&e.request?e.game?.status(r):"";return u`<main class="match play"><header class="match-head"><div><h1>${n}</h1><span class="tag">you are seat ${e.
seat} ${F(e.seat)}</span></div>
      <p class="status">${s}</p></header>
    <div class="stage"><section aria-label="board">${Hh(e)}</section></div>
    <aside aria-label="details">${Oh(e)}${Qh(e)}${zh(e)}</aside></main>`}function bu(e,t){if(t.ctrlKey||t.altKey||t.metaKey||t.target instanceof Element&&t.target.
closest("input, select, textarea"))return;let n=/^[1-9]$/.test(t.key)?e.choosing?.options[Number(t.key)-1]:void 0;if(n&&e.picking)e.pick(n.key);else if(t.key===
"Backspace"&&e.choosing?.path.length)e.back();else return;t.preventDefault()}function yu(e){document.addEventListener("dragover",t=>{t.dataTransfer?.types.includes("Files")&&t.preventDefault()}),document.addEventListener("drop",t=>{let n=t.
dataTransfer?.files[0];n&&(t.preventDefault(),e(n))}),document.addEventListener("change",t=>{let n=t.target;if(!(n instanceof HTMLInputElement)||!n.matches("[da\
ta-open-replay]"))return;let r=n.files?.[0];n.value="",r&&e(r)})}var Su=document.getElementById("page")??document.body,ba=()=>q("…"),gt="",ne,Gs,ha=!1;function ft(){ha||(ha=!0,requestAnimationFrame(()=>{ha=!1,_n(eb?ba():ll(
ba(),gt),Su),ne&&jd(Su,ne.index)}))}function Q(e){ba=e,ft()}function Sa(e,t){ne?.close();let n=new ys(e,t,ft);return ne=n,document.title=`${e.game?.name??"Match"}\
 · Bridgemaster`,Q(()=>iu(n)),n}function qh(e){return Eu(kr(e))}function Eu(e){let t=new mt("all");for(let n of e)t.add(n);return t}var ya=document.getElementById(
"positions"),eb=ya!==null;async function tb(e){Q(()=>q(`Verifying ${A(e.name)}…`));try{let t=Eu(await Tl(e));history.pushState(null,"",`${_}/replay`),gt="",Sa(
t,"?")}catch(t){let n=t instanceof Error?t.message:String(t);Q(()=>j({text:n,needsKey:!1,isUnsupported:!1,isTemporary:!1},"This file cannot be opened"))}}async function nb(e){
let t;try{await As(e,{...Ke(location.search),ownSeats:!0},{opened:n=>t=Sa(n,"?"),grew:()=>t?.grew(),notice:n=>t?t.notify(n):Q(()=>q(n))})}catch(n){let r=W(n);if(t&&
t.record.positions.length>0&&!r.needsKey)return t.notify(r.text);ne?.close(),ne=void 0,Q(()=>j(r,"This match cannot be shown"))}}function Ru(){gt="play";let e=fa();
if(!e?.name)return Q(()=>fu(e,n=>{Tt(n),Ru()}));let t=new vs(e,ft);Gs?.close(),Gs=t,document.title="Play · Bridgemaster",Q(()=>hu(t))}function rb(e){switch(e.page){case"\
matches":{gt="matches";let t=new hs(e.query,ft);return Q(()=>t.view())}case"match":return nb(e.matchId),Q(()=>q("Loading the match…"));case"play":return gu(),
Ru();case"replay":return Q(()=>u`<main class="plain"><div class="panel empty"><h1>Open a replay</h1>
        <p>Drop a replay file on this page, or choose one above. The server verifies it and shows the match.</p></div></main>`);case"ladders":{gt="ladders";let t=new ls(
ft);return Q(()=>t.view())}case"ladder":{gt="ladders";let t=new ds(e.ladderId,ft);return Q(()=>t.view())}case"ladder-bot":{gt="ladders";let t=new _r(e.ladderId,
e.botName,ft);return Q(()=>t.view())}case"unknown":return Q(()=>u`<main class="plain"><div class="panel empty"><h1>Page not found</h1><p><a href=${fe}>All matches</a></p></div></main>`)}}
document.addEventListener("keydown",e=>{Gs?bu(Gs,e):ne&&Pd(ne,e)});ya?(Sa(qh(Wl(ya.textContent??"")),"#"),window.addEventListener("hashchange",()=>{let e=Ke(location.
hash).at;ne&&e!==void 0&&ne.record.positions[ne.index]?.number!==e&&ne.goTo(ne.record.indexOf(e))})):(yu(e=>{tb(e)}),window.addEventListener("popstate",()=>location.
reload()),rb(Cn(location.pathname,location.search)));})();
