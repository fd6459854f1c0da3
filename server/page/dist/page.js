/*! Bridgemaster, MIT OR Apache-2.0. Contains lit-html, Copyright 2017 Google LLC, BSD-3-Clause;
@bufbuild/protobuf, Copyright 2021-2026 Buf Technologies, Inc., Apache-2.0 AND BSD-3-Clause;
@connectrpc/connect and connect-web, Copyright 2021-2026 The Connect Authors, Apache-2.0. */
"use strict";(()=>{var Xr=globalThis,Vo=e=>e,Ht=Xr.trustedTypes,Io=Ht?Ht.createPolicy("lit-html",{createHTML:e=>e}):void 0,Tr="$lit$",me=`lit$${Math.random().toFixed(9).slice(2)}$`,
Br="?"+me,tu=`<${Br}>`,Ne=document,bt=()=>Ne.createComment(""),yt=e=>e===null||typeof e!="object"&&typeof e!="function",_r=Array.isArray,Co=e=>_r(e)||typeof e?.[Symbol.
iterator]=="function",kr=`[ 	
\f\r]`,ht=/<(?:(!--|\/[^a-zA-Z])|(\/?[a-zA-Z][^>\s]*)|(\/?$))/g,No=/-->/g,Mo=/>/g,Ve=RegExp(`>|${kr}(?:([^\\s"'>=/]+)(${kr}*=${kr}*(?:[^ 	
\f\r"'\`<>=]|("|')|))|$)`,"g"),Yo=/'/g,Wo=/"/g,Lo=/^(?:script|style|textarea|title)$/i,wr=e=>(t,...n)=>({_$litType$:e,strings:t,values:n}),m=wr(1),b=wr(2),Lg=wr(
3),U=Symbol.for("lit-noChange"),C=Symbol.for("lit-nothing"),Fo=new WeakMap,Ie=Ne.createTreeWalker(Ne,129);function ko(e,t){if(!_r(e)||!e.hasOwnProperty("raw"))throw Error(
"invalid template strings array");return Io!==void 0?Io.createHTML(t):t}var Xo=(e,t)=>{let n=e.length-1,r=[],s,o=t===2?"<svg>":t===3?"<math>":"",a=ht;for(let i=0;i<
n;i++){let c=e[i],l,u,p=-1,f=0;for(;f<c.length&&(a.lastIndex=f,u=a.exec(c),u!==null);)f=a.lastIndex,a===ht?u[1]==="!--"?a=No:u[1]!==void 0?a=Mo:u[2]!==void 0?(Lo.
test(u[2])&&(s=RegExp("</"+u[2],"g")),a=Ve):u[3]!==void 0&&(a=Ve):a===Ve?u[0]===">"?(a=s??ht,p=-1):u[1]===void 0?p=-2:(p=a.lastIndex-u[2].length,l=u[1],a=u[3]===
void 0?Ve:u[3]==='"'?Wo:Yo):a===Wo||a===Yo?a=Ve:a===No||a===Mo?a=ht:(a=Ve,s=void 0);let g=a===Ve&&e[i+1].startsWith("/>")?" ":"";o+=a===ht?c+tu:p>=0?(r.push(l),
c.slice(0,p)+Tr+c.slice(p)+me+g):c+me+(p===-2?i:g)}return[ko(e,o+(e[n]||"<?>")+(t===2?"</svg>":t===3?"</math>":"")),r]},Et=class e{constructor({strings:t,_$litType$:n},r){
let s;this.parts=[];let o=0,a=0,i=t.length-1,c=this.parts,[l,u]=Xo(t,n);if(this.el=e.createElement(l,r),Ie.currentNode=this.el.content,n===2||n===3){let p=this.
el.content.firstChild;p.replaceWith(...p.childNodes)}for(;(s=Ie.nextNode())!==null&&c.length<i;){if(s.nodeType===1){if(s.hasAttributes())for(let p of s.getAttributeNames())
if(p.endsWith(Tr)){let f=u[a++],g=s.getAttribute(p).split(me),h=/([.?@])?(.*)/.exec(f);c.push({type:1,index:o,name:h[2],strings:g,ctor:h[1]==="."?qt:h[1]==="?"?
en:h[1]==="@"?tn:Ye}),s.removeAttribute(p)}else p.startsWith(me)&&(c.push({type:6,index:o}),s.removeAttribute(p));if(Lo.test(s.tagName)){let p=s.textContent.split(
me),f=p.length-1;if(f>0){s.textContent=Ht?Ht.emptyScript:"";for(let g=0;g<f;g++)s.append(p[g],bt()),Ie.nextNode(),c.push({type:2,index:++o});s.append(p[f],bt())}}}else if(s.
nodeType===8)if(s.data===Br)c.push({type:2,index:o});else{let p=-1;for(;(p=s.data.indexOf(me,p+1))!==-1;)c.push({type:7,index:o}),p+=me.length-1}o++}}static createElement(t,n){
let r=Ne.createElement("template");return r.innerHTML=t,r}};function Me(e,t,n=e,r){if(t===U)return t;let s=r!==void 0?n._$Co?.[r]:n._$Cl,o=yt(t)?void 0:t._$litDirective$;
return s?.constructor!==o&&(s?._$AO?.(!1),o===void 0?s=void 0:(s=new o(e),s._$AT(e,n,r)),r!==void 0?(n._$Co??=[])[r]=s:n._$Cl=s),s!==void 0&&(t=Me(e,s._$AS(e,t.
values),s,r)),t}var jt=class{constructor(t,n){this._$AV=[],this._$AN=void 0,this._$AD=t,this._$AM=n}get parentNode(){return this._$AM.parentNode}get _$AU(){return this.
_$AM._$AU}u(t){let{el:{content:n},parts:r}=this._$AD,s=(t?.creationScope??Ne).importNode(n,!0);Ie.currentNode=s;let o=Ie.nextNode(),a=0,i=0,c=r[0];for(;c!==void 0;){
if(a===c.index){let l;c.type===2?l=new De(o,o.nextSibling,this,t):c.type===1?l=new c.ctor(o,c.name,c.strings,this,t):c.type===6&&(l=new nn(o,this,t)),this._$AV.
push(l),c=r[++i]}a!==c?.index&&(o=Ie.nextNode(),a++)}return Ie.currentNode=Ne,s}p(t){let n=0;for(let r of this._$AV)r!==void 0&&(r.strings!==void 0?(r._$AI(t,r,
n),n+=r.strings.length-2):r._$AI(t[n])),n++}},De=class e{get _$AU(){return this._$AM?._$AU??this._$Cv}constructor(t,n,r,s){this.type=2,this._$AH=C,this._$AN=void 0,
this._$AA=t,this._$AB=n,this._$AM=r,this.options=s,this._$Cv=s?.isConnected??!0}get parentNode(){let t=this._$AA.parentNode,n=this._$AM;return n!==void 0&&t?.nodeType===
11&&(t=n.parentNode),t}get startNode(){return this._$AA}get endNode(){return this._$AB}_$AI(t,n=this){t=Me(this,t,n),yt(t)?t===C||t==null||t===""?(this._$AH!==C&&
this._$AR(),this._$AH=C):t!==this._$AH&&t!==U&&this._(t):t._$litType$!==void 0?this.$(t):t.nodeType!==void 0?this.T(t):Co(t)?this.k(t):this._(t)}O(t){return this.
_$AA.parentNode.insertBefore(t,this._$AB)}T(t){this._$AH!==t&&(this._$AR(),this._$AH=this.O(t))}_(t){this._$AH!==C&&yt(this._$AH)?this._$AA.nextSibling.data=t:this.
T(Ne.createTextNode(t)),this._$AH=t}$(t){let{values:n,_$litType$:r}=t,s=typeof r=="number"?this._$AC(t):(r.el===void 0&&(r.el=Et.createElement(ko(r.h,r.h[0]),this.
options)),r);if(this._$AH?._$AD===s)this._$AH.p(n);else{let o=new jt(s,this),a=o.u(this.options);o.p(n),this.T(a),this._$AH=o}}_$AC(t){let n=Fo.get(t.strings);return n===
void 0&&Fo.set(t.strings,n=new Et(t)),n}k(t){_r(this._$AH)||(this._$AH=[],this._$AR());let n=this._$AH,r,s=0;for(let o of t)s===n.length?n.push(r=new e(this.O(bt()),
this.O(bt()),this,this.options)):r=n[s],r._$AI(o),s++;s<n.length&&(this._$AR(r&&r._$AB.nextSibling,s),n.length=s)}_$AR(t=this._$AA.nextSibling,n){for(this._$AP?.(
!1,!0,n);t!==this._$AB;){let r=Vo(t).nextSibling;Vo(t).remove(),t=r}}setConnected(t){this._$AM===void 0&&(this._$Cv=t,this._$AP?.(t))}},Ye=class{get tagName(){return this.
element.tagName}get _$AU(){return this._$AM._$AU}constructor(t,n,r,s,o){this.type=1,this._$AH=C,this._$AN=void 0,this.element=t,this.name=n,this._$AM=s,this.options=
o,r.length>2||r[0]!==""||r[1]!==""?(this._$AH=Array(r.length-1).fill(new String),this.strings=r):this._$AH=C}_$AI(t,n=this,r,s){let o=this.strings,a=!1;if(o===void 0)
t=Me(this,t,n,0),a=!yt(t)||t!==this._$AH&&t!==U,a&&(this._$AH=t);else{let i=t,c,l;for(t=o[0],c=0;c<o.length-1;c++)l=Me(this,i[r+c],n,c),l===U&&(l=this._$AH[c]),
a||=!yt(l)||l!==this._$AH[c],l===C?t=C:t!==C&&(t+=(l??"")+o[c+1]),this._$AH[c]=l}a&&!s&&this.j(t)}j(t){t===C?this.element.removeAttribute(this.name):this.element.
setAttribute(this.name,t??"")}},qt=class extends Ye{constructor(){super(...arguments),this.type=3}j(t){this.element[this.name]=t===C?void 0:t}},en=class extends Ye{constructor(){
super(...arguments),this.type=4}j(t){this.element.toggleAttribute(this.name,!!t&&t!==C)}},tn=class extends Ye{constructor(t,n,r,s,o){super(t,n,r,s,o),this.type=
5}_$AI(t,n=this){if((t=Me(this,t,n,0)??C)===U)return;let r=this._$AH,s=t===C&&r!==C||t.capture!==r.capture||t.once!==r.once||t.passive!==r.passive,o=t!==C&&(r===
C||s);s&&this.element.removeEventListener(this.name,this,r),o&&this.element.addEventListener(this.name,this,t),this._$AH=t}handleEvent(t){typeof this._$AH=="fun\
ction"?this._$AH.call(this.options?.host??this.element,t):this._$AH.handleEvent(t)}},nn=class{constructor(t,n,r){this.element=t,this.type=6,this._$AN=void 0,this.
_$AM=n,this.options=r}get _$AU(){return this._$AM._$AU}_$AI(t){Me(this,t)}},To={M:Tr,P:me,A:Br,C:1,L:Xo,R:jt,D:Co,V:Me,I:De,H:Ye,N:en,U:tn,B:qt,F:nn},nu=Xr.litHtmlPolyfillSupport;
nu?.(Et,De),(Xr.litHtmlVersions??=[]).push("3.3.3");var Bo=(e,t,n)=>{let r=n?.renderBefore??t,s=r._$litPart$;if(s===void 0){let o=n?.renderBefore??null;r._$litPart$=
s=new De(t.insertBefore(bt(),o),o,void 0,n??{})}return s._$AI(e),s};var Ke=[.5,1,2,4,8,16],wo=2;function _o(e){return e!==null&&/^\d{1,9}$/.test(e)?Number(e):void 0}function rn(e){let t=new URLSearchParams(e.replace(/^[?#]/,"")),
n=Ke.find(r=>String(r)===t.get("speed"));return{at:_o(t.get("at")),seat:_o(t.get("seat")),speed:n??wo}}function Ur({at:e,seat:t,speed:n}){let r=new URLSearchParams;
return e!==void 0&&r.set("at",String(e)),t!==void 0&&r.set("seat",String(t)),n!==wo&&r.set("speed",String(n)),r.toString()}function Uo(e,t){let n;try{n=e.split(
"/").filter(a=>a!=="").map(decodeURIComponent)}catch{return{page:"unknown"}}let[r,s,o]=n;return n.length===0?{page:"matches",query:new URLSearchParams(t)}:r==="\
m"&&s&&n.length===2?{page:"match",matchId:s}:r==="replay"&&n.length===1?{page:"replay"}:r==="ladder"&&n.length===1?{page:"ladders"}:r==="ladder"&&s&&n.length===
2?{page:"ladder",ladderId:s}:r==="ladder"&&s&&o&&n.length===3?{page:"ladder-bot",ladderId:s,botName:o}:{page:"unknown"}}var Rt=e=>`/m/${encodeURIComponent(e)}`,
Oe=e=>`/?${new URLSearchParams({bot:e})}`,We=(e,t)=>`/ladder/${encodeURIComponent(e)}${t===void 0?"":`/${encodeURIComponent(t)}`}`;var sn=["M-10 0A10 10 0 1 1 10 0A10 10 0 1 1-10 0Z","M-9-9H9V9H-9Z","M0-11.5L11.5 8.5H-11.5Z","M0-12L12 0L0 12L-12 0Z","M-5.5-10H5.5L11 0L5.5 10H-5.5L-11 0Z","M\
0-12.5L3.3-4.6L12-3.9L5.4 1.8L7.4 10.2L0 5.7L-7.4 10.2L-5.4 1.8L-12-3.9L-3.3-4.6Z"];function j(e){return`seat-${e%sn.length}`}function Jr(e,t,n,r=10){let s=e%sn.
length===2?2.5:0;return b`<g class="mark ${j(e)}" transform="translate(${t} ${n}) scale(${r/10})">
    <path d=${sn[e%sn.length]} fill="currentColor" stroke="var(--piece-edge)"
      stroke-width="1.5" stroke-linejoin="round"/>
    <text y=${4+s} text-anchor="middle" font-size="11.5" font-weight="700" fill="#fff"
      >${e}</text></g>`}function W(e){return m`<svg class="badge" viewBox="-13 -13 26 26" aria-hidden="true">${Jr(e,0,0)}</svg>`}function Jo(e,t,n,r=1){return b`<g class="mark ${j(
e)}" transform="translate(${t} ${n}) scale(${r})">
    <title>pawn of seat ${e}</title>
    <path d="M-10 1C-10-6-4-8-4-13A6.5 6.5 0 1 1 4-13C4-8 10-6 10 1Z" fill="currentColor"
      stroke="var(--piece-edge)" stroke-width="1.5" stroke-linejoin="round"/>
    <text y="-0.5" text-anchor="middle" font-size="10" font-weight="700" fill="#fff">${e}</text></g>`}function $r(e,t,n,r=1,s=!1){return b`<g class="mark ${j(e)}" transform="translate(${t} ${n}) scale(${r})">
    <g transform=${s?"rotate(-90)":"rotate(0)"}>
      <path d="M0-13C3-13 5-11 5-8C5-7 4.7-6.2 4.3-5.5C8-4.5 12.5-2.5 12.5 0C12.5 2 10 2.5 6.5 2.5
        C7.5 6 11 9 11 11.5C11 12.6 10.4 13 9.5 13H3C2 13 1.5 10 0 9C-1.5 10-2 13-3 13H-9.5
        C-10.4 13-11 12.6-11 11.5C-11 9-7.5 6-6.5 2.5C-10 2.5-12.5 2-12.5 0C-12.5-2.5-8-4.5-4.3-5.5
        C-4.7-6.2-5-7-5-8C-5-11-3-13 0-13Z" fill="currentColor" stroke="var(--piece-edge)"
        stroke-width="1.4" stroke-linejoin="round"/></g>
    <text y="4" text-anchor="middle" font-size="9.5" font-weight="700" fill="#fff">${e}</text></g>`}var Z;(function(e){e[e.Canceled=1]="Canceled",e[e.Unknown=2]="Unknown",e[e.InvalidArgument=3]="InvalidArgument",e[e.DeadlineExceeded=4]="DeadlineExceeded",e[e.NotFound=
5]="NotFound",e[e.AlreadyExists=6]="AlreadyExists",e[e.PermissionDenied=7]="PermissionDenied",e[e.ResourceExhausted=8]="ResourceExhausted",e[e.FailedPrecondition=
9]="FailedPrecondition",e[e.Aborted=10]="Aborted",e[e.OutOfRange=11]="OutOfRange",e[e.Unimplemented=12]="Unimplemented",e[e.Internal=13]="Internal",e[e.Unavailable=
14]="Unavailable",e[e.DataLoss=15]="DataLoss",e[e.Unauthenticated=16]="Unauthenticated"})(Z||(Z={}));function St(e,t){return e!==null&&typeof e=="object"&&"$typeName"in e&&typeof e.$typeName=="string"?t===void 0?!0:t.typeName===e.$typeName:!1}var d;(function(e){e[e.DOUBLE=1]="DOUBLE",e[e.FLOAT=2]="FLOAT",e[e.INT64=3]="INT64",e[e.UINT64=4]="UINT64",e[e.INT32=5]="INT32",e[e.FIXED64=6]="FIXED64",e[e.FIXED32=
7]="FIXED32",e[e.BOOL=8]="BOOL",e[e.STRING=9]="STRING",e[e.BYTES=12]="BYTES",e[e.UINT32=13]="UINT32",e[e.SFIXED32=15]="SFIXED32",e[e.SFIXED64=16]="SFIXED64",e[e.
SINT32=17]="SINT32",e[e.SINT64=18]="SINT64"})(d||(d={}));function Do(){let e=this.buf,t=this.pos,n=0,r=0;for(let o=0;o<28;o+=7){let a=e[t++];if(n|=(a&127)<<o,(a&128)==0){this.pos=t,this.assertBounds(),this.varint64Lo=
n,this.varint64Hi=r;return}}let s=e[t++];if(n|=(s&15)<<28,r=(s&112)>>4,(s&128)==0){this.pos=t,this.assertBounds(),this.varint64Lo=n,this.varint64Hi=r;return}for(let o=3;o<=
31;o+=7){let a=e[t++];if(r|=(a&127)<<o,(a&128)==0){this.pos=t,this.assertBounds(),this.varint64Lo=n,this.varint64Hi=r;return}}throw new Error("invalid varint")}var on=4294967296;function Dr(e){let t=e[0]==="-";t&&(e=e.slice(1));let n=1e6,r=0,s=0;function o(a,i){let c=Number(e.slice(a,i));s*=n,r=r*n+c,r>=on&&(s=s+(r/on|
0),r=r%on)}return o(-24,-18),o(-18,-12),o(-12,-6),o(-6),t?Oo(r,s):Or(r,s)}function Ko(e,t){let n=Or(e,t),r=n.hi&2147483648;r&&(n=Oo(n.lo,n.hi));let s=Kr(n.lo,n.
hi);return r?"-"+s:s}function Kr(e,t){if({lo:e,hi:t}=ru(e,t),t<=2097151)return String(on*t+e);let n=e&16777215,r=(e>>>24|t<<8)&16777215,s=t>>16&65535,o=n+r*6777216+
s*6710656,a=r+s*8147497,i=s*2,c=1e7;return o>=c&&(a+=Math.floor(o/c),o%=c),a>=c&&(i+=Math.floor(a/c),a%=c),i.toString()+$o(a)+$o(o)}function ru(e,t){return{lo:e>>>
0,hi:t>>>0}}function Or(e,t){return{lo:e|0,hi:t|0}}function Oo(e,t){return t=~t,e?e=~e+1:t+=1,Or(e,t)}var $o=e=>{let t=String(e);return"0000000".slice(t.length)+
t};function Po(e,t){if(e>>>0<128){t.push(e);return}if(e>=0){for(;e>127;)t.push(e&127|128),e=e>>>7;t.push(e)}else{for(let n=0;n<9;n++)t.push(e&127|128),e=e>>7;t.
push(1)}}function Qo(){let e=this.buf[this.pos++];if((e&128)===0)return this.assertBounds(),e;let t=e&127;if(e=this.buf[this.pos++],t|=(e&127)<<7,(e&128)===0)return this.
assertBounds(),t;if(e=this.buf[this.pos++],t|=(e&127)<<14,(e&128)===0)return this.assertBounds(),t;if(e=this.buf[this.pos++],t|=(e&127)<<21,(e&128)===0)return this.
assertBounds(),t;e=this.buf[this.pos++],t|=(e&15)<<28;for(let n=5;(e&128)!==0&&n<10;n++)e=this.buf[this.pos++];if((e&128)!==0)throw new Error("invalid varint");
return this.assertBounds(),t>>>0}var I=su();function su(){let e=new DataView(new ArrayBuffer(8));if(typeof BigInt=="function"&&typeof e.getBigInt64=="function"&&typeof e.getBigUint64=="function"&&
typeof e.setBigInt64=="function"&&typeof e.setBigUint64=="function"&&(!!globalThis.Deno||!!globalThis.Bun||typeof process!="object"||typeof process.env!="object"||
process.env.BUF_BIGINT_DISABLE!=="1")){let n=BigInt("-9223372036854775808"),r=BigInt("9223372036854775807"),s=BigInt("0"),o=BigInt("18446744073709551615");return{
zero:BigInt(0),supported:!0,parse(a){let i=typeof a=="bigint"?a:BigInt(a);if(i>r||i<n)throw new Error(`invalid int64: ${a}`);return i},uParse(a){let i=typeof a==
"bigint"?a:BigInt(a);if(i>o||i<s)throw new Error(`invalid uint64: ${a}`);return i},enc(a){return e.setBigInt64(0,this.parse(a),!0),{lo:e.getInt32(0,!0),hi:e.getInt32(
4,!0)}},uEnc(a){return e.setBigInt64(0,this.uParse(a),!0),{lo:e.getInt32(0,!0),hi:e.getInt32(4,!0)}},dec(a,i){return e.setInt32(0,a,!0),e.setInt32(4,i,!0),e.getBigInt64(
0,!0)},uDec(a,i){return e.setInt32(0,a,!0),e.setInt32(4,i,!0),e.getBigUint64(0,!0)}}}return{zero:"0",supported:!1,parse(n){return typeof n!="string"&&(n=n.toString()),
zo(n),n},uParse(n){return typeof n!="string"&&(n=n.toString()),Ho(n),n},enc(n){return typeof n!="string"&&(n=n.toString()),zo(n),Dr(n)},uEnc(n){return typeof n!=
"string"&&(n=n.toString()),Ho(n),Dr(n)},dec(n,r){return Ko(n,r)},uDec(n,r){return Kr(n,r)}}}function zo(e){if(!/^-?[0-9]+$/.test(e))throw new Error("invalid int\
64: "+e)}function Ho(e){if(!/^[0-9]+$/.test(e))throw new Error("invalid uint64: "+e)}function X(e,t){switch(e){case d.STRING:return"";case d.BOOL:return!1;case d.DOUBLE:case d.FLOAT:return 0;case d.INT64:case d.UINT64:case d.SFIXED64:case d.FIXED64:case d.
SINT64:return t?"0":I.zero;case d.BYTES:return new Uint8Array(0);default:return 0}}function jo(e,t){switch(e){case d.BOOL:return t===!1;case d.STRING:return t===
"";case d.BYTES:return t instanceof Uint8Array&&!t.byteLength;case d.DOUBLE:case d.FLOAT:return Object.is(t,0);default:return t==0}}var qo=2,L=Symbol.for("reflect unsafe local");function ea(e,t){let n=e[t.localName].case;return n===void 0?n:t.fields.find(r=>r.localName===n)}function ta(e,t){
let n=t.localName;if(t.oneof)return e[t.oneof.localName].case===n;if(t.presence!=qo)return e[n]!==void 0&&Object.prototype.hasOwnProperty.call(e,n);switch(t.fieldKind){case"\
list":return e[n].length>0;case"map":return Object.keys(e[n]).length>0;case"scalar":return!jo(t.scalar,e[n]);case"enum":return e[n]!==t.enum.values[0].number}throw new Error(
"message field with implicit presence")}function Fe(e,t){return Object.prototype.hasOwnProperty.call(e,t)&&e[t]!==void 0}function na(e,t){if(t.oneof){let n=e[t.
oneof.localName];return n.case===t.localName?n.value:void 0}return e[t.localName]}function ra(e,t,n){t.oneof?e[t.oneof.localName]={case:t.localName,value:n}:e[t.
localName]=n}function k(e,t,n){t==="__proto__"?Object.defineProperty(e,"__proto__",{value:n,writable:!0,enumerable:!0,configurable:!0}):e[t]=n}function sa(e,t){
return Object.prototype.hasOwnProperty.call(e,t)?e[t]:void 0}function oa(e,t){let n=t.localName;if(t.oneof){let r=t.oneof.localName;e[r].case===n&&(e[r]={case:void 0})}else if(t.
presence!=qo)delete e[n];else switch(t.fieldKind){case"map":e[n]={};break;case"list":e[n]=[];break;case"enum":e[n]=t.enum.values[0].number;break;case"scalar":e[n]=
X(t.scalar,t.longAsString);break}}function q(e){return e!==null&&typeof e=="object"&&!Array.isArray(e)}function At(e,t){var n,r,s,o;if(q(e)&&L in e&&"add"in e&&"field"in e&&typeof e.field=="function"){if(t!==void 0){let a=t,i=e.field();return a.listKind==i.listKind&&
a.scalar===i.scalar&&((n=a.message)===null||n===void 0?void 0:n.typeName)===((r=i.message)===null||r===void 0?void 0:r.typeName)&&((s=a.enum)===null||s===void 0?
void 0:s.typeName)===((o=i.enum)===null||o===void 0?void 0:o.typeName)}return!0}return!1}function Zt(e,t){var n,r,s,o;if(q(e)&&L in e&&"has"in e&&"field"in e&&typeof e.
field=="function"){if(t!==void 0){let a=t,i=e.field();return a.mapKey===i.mapKey&&a.mapKind==i.mapKind&&a.scalar===i.scalar&&((n=a.message)===null||n===void 0?void 0:
n.typeName)===((r=i.message)===null||r===void 0?void 0:r.typeName)&&((s=a.enum)===null||s===void 0?void 0:s.typeName)===((o=i.enum)===null||o===void 0?void 0:o.
typeName)}return!0}return!1}function vt(e,t){return q(e)&&L in e&&"desc"in e&&q(e.desc)&&e.desc.kind==="message"&&(t===void 0||e.desc.typeName==t.typeName)}function aa(e){return ia(e.$typeName)}function J(e){let t=e.fields[0];return ia(e.typeName)&&t!==void 0&&t.fieldKind=="scalar"&&t.name=="value"&&t.number==1}function an(e){
switch(e.typeName){case"google.protobuf.Any":case"google.protobuf.Timestamp":case"google.protobuf.Duration":case"google.protobuf.FieldMask":case"google.protobuf\
.Struct":case"google.protobuf.Value":case"google.protobuf.ListValue":return!0;default:return J(e)}}var ou=new Set(["google.protobuf.DoubleValue","google.protobu\
f.FloatValue","google.protobuf.Int64Value","google.protobuf.UInt64Value","google.protobuf.Int32Value","google.protobuf.UInt32Value","google.protobuf.BoolValue",
"google.protobuf.StringValue","google.protobuf.BytesValue"]);function ia(e){return ou.has(e)}var au=999,iu=998,la=2;function M(e,t){return St(t,e)?t:ua(e)(t)}var ca=new WeakMap;function ua(e){let t=ca.get(e);return t===void 0&&(t=cu(e),ca.set(e,t)),t}var Pr=0,
da=1,ma=2,pa=3;function cu(e){let t=e.typeName,{properties:n,prototype:r}=lu(e);return s=>{let o;r!==void 0?(o=Object.create(r),o.$typeName=t):o={$typeName:t};for(let a=0;a<
n.length;a++){let i=n[a],c=i.name,l=s?.[c];switch(i.kind){case Pr:l!=null?o[c]=i.convert!==void 0?i.convert(l):l:i.constant!==void 0&&(o[c]=i.constant);break;case da:
o[c]=i.convert!==void 0&&Array.isArray(l)?l.map(i.convert):l??[];break;case ma:if(i.convert===void 0||!q(l))o[c]=l??{};else{let u={},p=Object.keys(l);for(let f=0;f<
p.length;f++)k(u,p[f],i.convert(l[p[f]]));o[c]=u}break;case pa:{let u=l;if(u?.case!=null){let p=i.convert.get(u.case);if(p!==void 0){o[c]={case:u.case,value:p(u.
value)};break}}o[c]={case:void 0};break}}}return o}}function lu(e){var t,n;let r=[],s={},o=du(e);for(let a of e.members){let i=a.localName;if(a.kind=="oneof"){r.
push({name:i,kind:pa,constant:void 0,convert:uu(a)});continue}switch(a.fieldKind){case"message":{r.push({name:i,kind:Pr,constant:void 0,convert:cn(a)});break}case"\
list":{r.push({name:i,kind:da,constant:void 0,convert:a.listKind=="message"?(t=cn(a))!==null&&t!==void 0?t:(c=>c):a.scalar==d.BYTES?Gt:void 0});break}case"map":{
r.push({name:i,kind:ma,constant:void 0,convert:a.mapKind=="message"?(n=cn(a))!==null&&n!==void 0?n:(c=>c):a.scalar==d.BYTES?Gt:void 0});break}default:{let c=mu(
a);r.push({name:i,kind:Pr,constant:a.presence==la?c:void 0,convert:a.fieldKind=="scalar"&&a.scalar==d.BYTES?Gt:void 0}),o&&(s[i]=c);break}}}return{properties:r,
prototype:o?s:void 0}}function uu(e){let t=new Map;for(let n of e.fields){let r;n.fieldKind=="message"?r=cn(n):n.fieldKind=="scalar"&&n.scalar==d.BYTES&&(r=Gt),
t.set(n.localName,r??(s=>s))}return t}function cn(e){if(e.fieldKind=="message"&&!e.oneof&&J(e.message))return e.message.fields[0].scalar==d.BYTES?Gt:void 0;if(e.
message.typeName=="google.protobuf.Struct"&&e.parent.typeName!=="google.protobuf.Value")return;let t=e.message,n;return r=>!q(r)||St(r,t)?r:(n??(n=ua(t)),n(r))}
function Gt(e){return Array.isArray(e)?new Uint8Array(e):e}function du(e){switch(e.file.edition){case au:return!1;case iu:return!0;default:return e.fields.some(
t=>t.presence!=la&&t.fieldKind!="message"&&!t.oneof)}}function mu(e){let t=e.getDefaultValue();return t!==void 0?e.fieldKind=="scalar"&&e.longAsString?t.toString():
t:e.fieldKind=="scalar"?X(e.scalar,e.longAsString):e.enum.values[0].number}var pu=["FieldValueInvalidError","FieldListRangeError","ForeignFieldError"],N=class extends Error{constructor(t,n,r="FieldValueInvalidError"){super(n),this.name=
r,this.field=()=>t}};function ga(e){return e instanceof Error&&pu.includes(e.name)&&"field"in e&&typeof e.field=="function"}var Qr;function gu(e){var t;Qr=Object.assign(Object.assign({},e),{encodeUtf8Into:(t=e.encodeUtf8Into)!==null&&t!==void 0?t:zr(e.encodeUtf8.bind(e))})}function xt(){
if(!Qr){let e=globalThis;if(!e.TextEncoder||!e.TextDecoder)throw new Error("encoding API missing: install TextEncoder and TextDecoder on globalThis");let t=new e.
TextEncoder,n=new e.TextDecoder("utf-8",{ignoreBOM:!0}),r,s={encodeUtf8(a){return t.encode(a)},decodeUtf8(a,i){return i?(r||(r=new e.TextDecoder("utf-8",{fatal:!0,
ignoreBOM:!0})),r.decode(a)):n.decode(a)},checkUtf8(a){try{return encodeURIComponent(a),!0}catch{return!1}}};t.encodeInto&&(s.encodeUtf8Into=t.encodeInto.bind(t));
let o=String.prototype.isWellFormed;o&&(s.checkUtf8=a=>o.call(a)),gu(s)}return Qr}function zr(e){return(t,n)=>{let r=e(t);return n.set(r),{written:r.byteLength}}}var Y;(function(e){e[e.Varint=0]="Varint",e[e.Bit64=1]="Bit64",e[e.LengthDelimited=2]="LengthDelimited",e[e.StartGroup=3]="StartGroup",e[e.EndGroup=4]="EndGroup",
e[e.Bit32=5]="Bit32"})(Y||(Y={}));var qr=4294967295,es=2147483647,ts=-2147483648,Pe=class{constructor(t){this.stackPos=[],this.encodeUtf8Into=t?zr(t):xt().encodeUtf8Into,this.buffer=ha,this.viewCache=
hu,this.pos=0}ensureCapacity(t){let n=this.pos+t;if(n>this.buffer.length){let r=this.buffer.length||fu;for(;r<n;)r*=2;let s=new Uint8Array(r);this.pos>0&&s.set(
this.buffer),this.buffer=s}}view(){let t=this.buffer,n=this.viewCache;if(n.byteLength===t.byteLength)return n;let r=new DataView(t.buffer);return this.viewCache=
r,r}finish(){let t=this.buffer.slice(0,this.pos);return this.pos=0,this.stackPos=[],t}fork(){return this.stackPos.push(this.pos),this.ensureCapacity(Vt),this.buffer[this.
pos++]=0,this}join(){let t=this.stackPos.pop();if(t===void 0)throw new Error("invalid state, fork stack empty");let n=this.pos-t-Vt,r=Hr(n);return r>Vt&&(this.ensureCapacity(
r-Vt),this.buffer.copyWithin(t+r,t+Vt,this.pos)),this.pos=t,this.uint32(n),this.pos+=n,this}tag(t,n){return this.uint32((t<<3|n)>>>0)}raw(t){return this.ensureCapacity(
t.length),this.buffer.set(t,this.pos),this.pos+=t.length,this}uint32(t){if(fa(t),this.ensureCapacity(5),t<128)return this.buffer[this.pos++]=t,this;for(;t>127;)
this.buffer[this.pos++]=t&127|128,t>>>=7;return this.buffer[this.pos++]=t,this}int32(t){if(jr(t),t>=0)return this.uint32(t);this.ensureCapacity(10);for(let n=0;n<
9;n++)this.buffer[this.pos++]=t&127|128,t>>=7;return this.buffer[this.pos++]=1,this}bool(t){return this.ensureCapacity(1),this.buffer[this.pos++]=t?1:0,this}bytes(t){
return this.uint32(t.byteLength),this.raw(t)}string(t){typeof t!="string"&&(t=String(t));let n=t.length;if(n<=ba){this.ensureCapacity(n+1);let c=this.buffer,l=this.
pos;c[l++]=n;let u=0;for(;u<n;u++){let p=t.charCodeAt(u);if(p>127)break;c[l++]=p}if(u==n)return this.pos=l,this}this.ensureCapacity(n*3+5);let r=Hr(n),s=this.buffer,
o=this.pos,{written:a}=this.encodeUtf8Into(t,s.subarray(o+r)),i=Hr(a);return i!=r&&s.copyWithin(o+i,o+r,o+r+a),this.uint32(a),this.pos+=a,this}float(t){return bu(
t),this.ensureCapacity(4),this.view().setFloat32(this.pos,t,!0),this.pos+=4,this}double(t){return this.ensureCapacity(8),this.view().setFloat64(this.pos,t,!0),this.
pos+=8,this}fixed32(t){return fa(t),this.ensureCapacity(4),this.view().setUint32(this.pos,t,!0),this.pos+=4,this}sfixed32(t){return jr(t),this.ensureCapacity(4),
this.view().setInt32(this.pos,t,!0),this.pos+=4,this}sint32(t){return jr(t),this.uint32((t<<1^t>>31)>>>0)}sfixed64(t){let n=I.enc(t);this.ensureCapacity(8);let r=this.
view();return r.setInt32(this.pos,n.lo,!0),r.setInt32(this.pos+4,n.hi,!0),this.pos+=8,this}fixed64(t){let n=I.uEnc(t);this.ensureCapacity(8);let r=this.view();return r.
setInt32(this.pos,n.lo,!0),r.setInt32(this.pos+4,n.hi,!0),this.pos+=8,this}int64(t){let n=I.enc(t);return this.writeVarint64(n.lo,n.hi)}sint64(t){let n=I.enc(t),
r=n.hi>>31,s=n.lo<<1^r,o=(n.hi<<1|n.lo>>>31)^r;return this.writeVarint64(s,o)}uint64(t){let n=I.uEnc(t);return this.writeVarint64(n.lo,n.hi)}writeVarint64(t,n){
this.ensureCapacity(10);let r=this.buffer,s=this.pos;for(let i=0;i<28;i=i+7){let c=t>>>i,l=!(!(c>>>7)&&n==0);if(r[s++]=(l?c|128:c)&255,!l)return this.pos=s,this}
let o=t>>>28&15|(n&7)<<4,a=n>>3!=0;if(r[s++]=(a?o|128:o)&255,!a)return this.pos=s,this;for(let i=3;i<31;i=i+7){let c=n>>>i,l=!!(c>>>7);if(r[s++]=(l?c|128:c)&255,
!l)return this.pos=s,this}return r[s++]=n>>>31&1,this.pos=s,this}},fu=128,Vt=1,ha=new Uint8Array(0),hu=new DataView(ha.buffer),ba=32;function Hr(e){return e<128?
1:e<16384?2:e<2097152?3:e<268435456?4:5}var P=class{constructor(t,n=xt().decodeUtf8){this.decodeUtf8=n,this.varint64Lo=0,this.varint64Hi=0,this.varint64=Do,this.
uint32=Qo,this.buf=t,this.len=t.length,this.pos=0,this.view=new DataView(t.buffer,t.byteOffset,t.byteLength)}tag(){let t=this.pos,n=this.uint32(),r=this.pos-t;if(r>
5||r==5&&this.buf[this.pos-1]>15)throw new Error("illegal tag: varint overflows uint32");let s=n>>>3,o=n&7;if(s<=0||o>5)throw new Error("illegal tag: field no "+
s+" wire type "+o);return[s,o]}skip(t,n,r=100){let s=this.pos;switch(t){case Y.Varint:for(;this.buf[this.pos++]&128;);break;case Y.Bit64:this.pos+=4;case Y.Bit32:
this.pos+=4;break;case Y.LengthDelimited:let o=this.uint32();this.pos+=o;break;case Y.StartGroup:if(r<=0)throw new Error("maximum recursion depth reached");for(;;){
let[a,i]=this.tag();if(i===Y.EndGroup){if(n!==void 0&&a!==n)throw new Error("invalid end group tag");break}this.skip(i,a,r-1)}break;default:throw new Error("can\
t skip wire type "+t)}return this.assertBounds(),this.buf.subarray(s,this.pos)}assertBounds(){if(this.pos>this.len)throw new RangeError("premature EOF")}int32(){
return this.uint32()|0}sint32(){let t=this.uint32();return t>>>1^-(t&1)}int64(){return this.varint64(),I.dec(this.varint64Lo,this.varint64Hi)}uint64(){return this.
varint64(),I.uDec(this.varint64Lo,this.varint64Hi)}sint64(){this.varint64();let t=this.varint64Lo,n=this.varint64Hi,r=-(t&1);return t=(t>>>1|(n&1)<<31)^r,n=n>>>
1^r,I.dec(t,n)}bool(){let t=this.buf[this.pos];return t<128?(this.pos++,t!==0):(this.varint64(),this.varint64Lo!==0||this.varint64Hi!==0)}fixed32(){return this.
view.getUint32((this.pos+=4)-4,!0)}sfixed32(){return this.view.getInt32((this.pos+=4)-4,!0)}fixed64(){return I.uDec(this.sfixed32(),this.sfixed32())}sfixed64(){
return I.dec(this.sfixed32(),this.sfixed32())}float(){return this.view.getFloat32((this.pos+=4)-4,!0)}double(){return this.view.getFloat64((this.pos+=8)-8,!0)}bytes(){
let t=this.uint32(),n=this.pos;return this.pos+=t,this.assertBounds(),this.buf.subarray(n,n+t)}string(t){let n=this.uint32(),r=this.pos;this.pos+=n,this.assertBounds();
let s=this.buf;if(n<=ba){let o=new Array(n);for(let a=0;a<n;a++){let i=s[r+a];if(i>127)return this.decodeUtf8(s.subarray(r,this.pos),t);o[a]=i}return String.fromCharCode.
apply(String,o)}return this.decodeUtf8(s.subarray(r,this.pos),t)}};function jr(e){if(typeof e=="string")e=Number(e);else if(typeof e!="number")throw new Error("\
invalid int32: "+typeof e);if(!Number.isInteger(e)||e>es||e<ts)throw new Error("invalid int32: "+e)}function fa(e){if(typeof e=="string")e=Number(e);else if(typeof e!=
"number")throw new Error("invalid uint32: "+typeof e);if(!Number.isInteger(e)||e>qr||e<0)throw new Error("invalid uint32: "+e)}function bu(e){if(typeof e=="stri\
ng"){let t=e;if(e=Number(e),Number.isNaN(e)&&t!=="NaN")throw new Error("invalid float32: "+t)}else if(typeof e!="number")throw new Error("invalid float32: "+typeof e);
if(!Number.isFinite(Math.fround(e))&&Number.isFinite(e))throw new Error("invalid float32: "+e)}function ln(e,t){let n=e.fieldKind=="list"?At(t,e):e.fieldKind=="map"?Zt(t,e):rs(e,t);if(n===!0)return;let r;switch(e.fieldKind){case"list":r=`expected ${Ra(e)}\
, got ${F(t)}`;break;case"map":r=`expected ${Sa(e)}, got ${F(t)}`;break;default:r=Q(e,t,n)}return new N(e,r)}function ns(e,t,n){let r=rs(e,n);if(r!==!0)return new N(
e,`list item #${t+1}: ${Q(e,n,r)}`)}function ya(e,t,n){let r=pe(e.mapKey)(t);if(r!==!0)return new N(e,`invalid map key: ${Q({scalar:e.mapKey},t,r)}`);let s=rs(e,
n);if(s!==!0)return new N(e,`map entry ${F(t)}: ${Q(e,n,s)}`)}function rs(e,t){return e.scalar!==void 0?pe(e.scalar)(t):e.enum!==void 0?e.enum.open?pe(d.INT32)(
t):e.enum.values.some(n=>n.number===t):vt(t,e.message)}function pe(e){switch(e){case d.DOUBLE:return t=>typeof t=="number";case d.FLOAT:return t=>typeof t!="num\
ber"?!1:!Number.isFinite(Math.fround(t))&&Number.isFinite(t)?`${t.toFixed()} out of range`:!0;case d.INT32:case d.SFIXED32:case d.SINT32:return t=>typeof t!="nu\
mber"||!Number.isInteger(t)?!1:t>es||t<ts?`${t.toFixed()} out of range`:!0;case d.FIXED32:case d.UINT32:return t=>typeof t!="number"||!Number.isInteger(t)?!1:t>
qr||t<0?`${t.toFixed()} out of range`:!0;case d.BOOL:return t=>typeof t=="boolean";case d.STRING:return t=>typeof t!="string"?!1:xt().checkUtf8(t)||"invalid UTF\
8";case d.BYTES:return t=>t instanceof Uint8Array;case d.INT64:case d.SFIXED64:case d.SINT64:return t=>{if(typeof t=="bigint"||typeof t=="number"||typeof t=="st\
ring"&&t.length>0)try{return I.parse(t),!0}catch{return`${t} out of range`}return!1};case d.FIXED64:case d.UINT64:return t=>{if(typeof t=="bigint"||typeof t=="n\
umber"||typeof t=="string"&&t.length>0)try{return I.uParse(t),!0}catch{return`${t} out of range`}return!1}}}function Q(e,t,n){return n=typeof n=="string"?`: ${n}`:
`, got ${F(t)}`,e.scalar!==void 0?`expected ${yu(e.scalar)}`+n:e.enum!==void 0?`expected ${e.enum.toString()}`+n:`expected ${Ea(e.message)}`+n}function F(e){switch(typeof e){case"\
object":return e===null?"null":e instanceof Uint8Array?`Uint8Array(${e.length})`:Array.isArray(e)?`Array(${e.length})`:At(e)?Ra(e.field()):Zt(e)?Sa(e.field()):vt(
e)?Ea(e.desc):St(e)?`message ${e.$typeName}`:"object";case"string":return e.length>30?"string":`"${e.split('"').join('\\"')}"`;case"boolean":return String(e);case"\
number":return String(e);case"bigint":return String(e)+"n";default:return typeof e}}function Ea(e){return`ReflectMessage (${e.typeName})`}function Ra(e){switch(e.
listKind){case"message":return`ReflectList (${e.message.toString()})`;case"enum":return`ReflectList (${e.enum.toString()})`;case"scalar":return`ReflectList (${d[e.
scalar]})`}}function Sa(e){switch(e.mapKind){case"message":return`ReflectMap (${d[e.mapKey]}, ${e.message.toString()})`;case"enum":return`ReflectMap (${d[e.mapKey]}\
, ${e.enum.toString()})`;case"scalar":return`ReflectMap (${d[e.mapKey]}, ${d[e.scalar]})`}}function yu(e){switch(e){case d.STRING:return"string";case d.BOOL:return"\
boolean";case d.INT64:case d.SINT64:case d.SFIXED64:return"bigint (int64)";case d.UINT64:case d.FIXED64:return"bigint (uint64)";case d.BYTES:return"Uint8Array";case d.
DOUBLE:return"number (float64)";case d.FLOAT:return"number (float32)";case d.FIXED32:case d.UINT32:return"number (uint32)";case d.INT32:case d.SFIXED32:case d.SINT32:
return"number (int32)"}}var Eu=0;function _(e){if(Ru(e))return{toMessage:n=>un(n),toLocal:n=>dn(n)};if(e.fieldKind=="message"&&!e.oneof&&J(e.message)){let n=e.message,r=n.fields[0].localName;
return{toMessage:s=>{let o=M(n);return s!==void 0&&(o[r]=s),o},toLocal:s=>s[r]}}let t=e.message;return{toMessage:n=>n===void 0?M(t):n,toLocal:n=>n}}function Ru(e){
return e.message.typeName=="google.protobuf.Struct"&&e.parent.typeName!="google.protobuf.Value"}function un(e){let t={$typeName:"google.protobuf.Struct",fields:{}};
if(q(e))for(let n of Object.keys(e))k(t.fields,n,Za(e[n]));return t}function dn(e){let t={};for(let n of Object.keys(e.fields))k(t,n,Aa(e.fields[n]));return t}function Aa(e){
switch(e.kind.case){case"structValue":return dn(e.kind.value);case"listValue":return e.kind.value.values.map(Aa);case"nullValue":case void 0:return null;default:
return e.kind.value}}function Za(e){let t={$typeName:"google.protobuf.Value",kind:{case:void 0}};switch(typeof e){case"number":t.kind={case:"numberValue",value:e};
break;case"string":t.kind={case:"stringValue",value:e};break;case"boolean":t.kind={case:"boolValue",value:e};break;case"object":if(e===null)t.kind={case:"nullVa\
lue",value:Eu};else if(Array.isArray(e)){let n={$typeName:"google.protobuf.ListValue",values:[]};if(Array.isArray(e))for(let r of e)n.values.push(Za(r));t.kind=
{case:"listValue",value:n}}else t.kind={case:"structValue",value:un(e)};break}return t}function Va(e,t,n=!0){return new pn(e,t,n)}var va=new WeakMap,pn=class{get sortedFields(){let t=va.get(this.desc);if(t)return t;let n=this.desc.fields.concat().
sort((r,s)=>r.number-s.number);return va.set(this.desc,n),n}constructor(t,n,r=!0){this.lists=new Map,this.maps=new Map,this.check=r,this.desc=t,this.message=this[L]=
n??M(t),this.fields=t.fields,this.oneofs=t.oneofs,this.members=t.members}findNumber(t){return this._fieldsByNumber||(this._fieldsByNumber=new Map(this.desc.fields.
map(n=>[n.number,n]))),this._fieldsByNumber.get(t)}oneofCase(t){return It(this.message,t),ea(this.message,t)}isSet(t){return It(this.message,t),ta(this.message,
t)}clear(t){It(this.message,t),oa(this.message,t)}get(t){It(this.message,t);let n=na(this.message,t);switch(t.fieldKind){case"list":let r=this.lists.get(t);return(!r||
r[L]!==n)&&this.lists.set(t,r=new as(t,n,this.check)),r;case"map":let s=this.maps.get(t);return(!s||s[L]!==n)&&this.maps.set(t,s=new is(t,n,this.check)),s;case"\
message":return ls(t,n,this.check);case"scalar":return n===void 0?X(t.scalar,!1):us(t,n);case"enum":return n??t.enum.values[0].number}}set(t,n){if(It(this.message,
t),this.check){let s=ln(t,n);if(s)throw s}let r;t.fieldKind=="message"?r=cs(t,n):Zt(n)||At(n)?r=n[L]:r=ds(t,n),ra(this.message,t,r)}getUnknown(){return this.message.
$unknown}setUnknown(t){this.message.$unknown=t}};function It(e,t){if(t.parent.typeName!==e.$typeName)throw new N(t,`cannot use ${t.toString()} with message ${e.
$typeName}`,"ForeignFieldError")}var as=class{field(){return this._field}get size(){return this._arr.length}constructor(t,n,r){this._field=t,this._arr=this[L]=n,this.check=r}get(t){let n=this._arr[t];
return n===void 0?void 0:ss(this._field,n,this.check)}set(t,n){if(t<0||t>=this._arr.length)throw new N(this._field,`list item #${t+1}: out of range`);if(this.check){
let r=ns(this._field,t,n);if(r)throw r}this._arr[t]=Ga(this._field,n)}add(t){if(this.check){let n=ns(this._field,this._arr.length,t);if(n)throw n}this._arr.push(
Ga(this._field,t))}clear(){this._arr.splice(0,this._arr.length)}[Symbol.iterator](){return this.values()}keys(){return this._arr.keys()}*values(){for(let t of this.
_arr)yield ss(this._field,t,this.check)}*entries(){for(let t=0;t<this._arr.length;t++)yield[t,ss(this._field,this._arr[t],this.check)]}};var is=class{constructor(t,n,r=!0){this.obj=this[L]=n??{},this.check=r,this._field=t}field(){return this._field}set(t,n){if(this.check){let r=ya(this._field,t,n);
if(r)throw r}return k(this.obj,mn(t),Su(this._field,n)),this}delete(t){let n=mn(t),r=Object.prototype.hasOwnProperty.call(this.obj,n);return r&&delete this.obj[n],
r}clear(){for(let t of Object.keys(this.obj))delete this.obj[t]}get(t){let n=sa(this.obj,mn(t));return n!==void 0&&(n=os(this._field,n,this.check)),n}has(t){return Object.
prototype.hasOwnProperty.call(this.obj,mn(t))}*keys(){for(let t of Object.keys(this.obj))yield xa(t,this._field.mapKey)}*entries(){for(let t of Object.entries(this.
obj))yield[xa(t[0],this._field.mapKey),os(this._field,t[1],this.check)]}[Symbol.iterator](){return this.entries()}get size(){return Object.keys(this.obj).length}*values(){
for(let t of Object.values(this.obj))yield os(this._field,t,this.check)}forEach(t,n){for(let r of this.entries())t.call(n,r[1],r[0],this)}};function cs(e,t){return vt(
t)?aa(t.message)&&!e.oneof&&e.fieldKind=="message"?t.message.value:t.desc.typeName=="google.protobuf.Struct"&&e.parent.typeName!="google.protobuf.Value"?dn(t.message):
t.message:t}function ls(e,t,n){return t!==void 0&&(J(e.message)&&!e.oneof&&e.fieldKind=="message"?t={$typeName:e.message.typeName,value:us(e.message.fields[0],t)}:
e.message.typeName=="google.protobuf.Struct"&&e.parent.typeName!="google.protobuf.Value"&&q(t)&&(t=un(t))),new pn(e.message,t,n)}function Ga(e,t){return e.listKind==
"message"?cs(e,t):ds(e,t)}function ss(e,t,n){return e.listKind=="message"?ls(e,t,n):us(e,t)}function Su(e,t){return e.mapKind=="message"?cs(e,t):ds(e,t)}function os(e,t,n){
return e.mapKind=="message"?ls(e,t,n):t}function mn(e){return typeof e=="string"||typeof e=="number"?e:String(e)}function xa(e,t){switch(t){case d.STRING:return e;case d.
INT32:case d.FIXED32:case d.UINT32:case d.SFIXED32:case d.SINT32:{let n=Number.parseInt(e);if(Number.isFinite(n))return n;break}case d.BOOL:switch(e){case"true":
return!0;case"false":return!1}break;case d.UINT64:case d.FIXED64:try{return I.uParse(e)}catch{}break;default:try{return I.parse(e)}catch{}break}return e}function us(e,t){
switch(e.scalar){case d.INT64:case d.SFIXED64:case d.SINT64:"longAsString"in e&&e.longAsString&&typeof t=="string"&&(t=I.parse(t));break;case d.FIXED64:case d.UINT64:
"longAsString"in e&&e.longAsString&&typeof t=="string"&&(t=I.uParse(t));break}return t}function ds(e,t){switch(e.scalar){case d.INT64:case d.SFIXED64:case d.SINT64:
"longAsString"in e&&e.longAsString?t=String(t):(typeof t=="string"||typeof t=="number")&&(t=I.parse(t));break;case d.FIXED64:case d.UINT64:"longAsString"in e&&e.
longAsString?t=String(t):(typeof t=="string"||typeof t=="number")&&(t=I.uParse(t));break}return t}var Ia=Uint8Array.prototype.setFromBase64;function ze(e){let t=e.length,n=t-(t+3>>2);(t&3)==0&&e[t-1]=="="&&(n-=e[t-2]=="="?2:1);let r=new Uint8Array(n),s=-1;if(Ia)
try{let o=Ia.call(r,e);o.read==t&&(s=o.written)}catch{}return s<0&&(s=Au(r,e)),s==n?r:r.subarray(0,s)}function Au(e,t){let n=vu(),r=0,s=0,o,a=0;for(let i=0;i<t.
length;i++){if(o=n[t.charCodeAt(i)],o===void 0)switch(t[i]){case"=":s=0;case`
`:case"\r":case"	":case" ":continue;default:throw Error("invalid base64 string")}switch(s){case 0:a=o,s=1;break;case 1:e[r++]=a<<2|(o&48)>>4,a=o,s=2;break;case 2:
e[r++]=(a&15)<<4|(o&60)>>2,a=o,s=3;break;case 3:e[r++]=(a&3)<<6|o,s=0;break}}if(s==1)throw Error("invalid base64 string");return r}var Na=Uint8Array.prototype.toBase64,
Zu={std:{alphabet:"base64",omitPadding:!1},std_raw:{alphabet:"base64",omitPadding:!0},url:{alphabet:"base64url",omitPadding:!0}};function ms(e,t="std"){if(Na)return Na.
call(e,Zu[t]);let n=Ya(t),r=t=="std",s="",o=0,a,i=0;for(let c=0;c<e.length;c++)switch(a=e[c],o){case 0:s+=n[a>>2],i=(a&3)<<4,o=1;break;case 1:s+=n[i|a>>4],i=(a&
15)<<2,o=2;break;case 2:s+=n[i|a>>6],s+=n[a&63],o=0;break}return o&&(s+=n[i],r&&(s+="=",o==1&&(s+="="))),s}var gn,Ma,Qe;function Ya(e){return gn||(gn="ABCDEFGHI\
JKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".split(""),Ma=gn.slice(0,-2).concat("-","_")),e=="url"?Ma:gn}function vu(){if(!Qe){Qe=[];let e=Ya("std");
for(let t=0;t<e.length;t++)Qe[e[t].charCodeAt(0)]=t;Qe[45]=e.indexOf("+"),Qe[95]=e.indexOf("/")}return Qe}function ge(e){let t=!1,n=[];for(let r=0;r<e.length;r++){let s=e.charAt(r);switch(s){case"_":t=!0;break;case"0":case"1":case"2":case"3":case"4":case"5":case"6":case"\
7":case"8":case"9":n.push(s),t=!1;break;default:t&&(t=!1,s=s.toUpperCase()),n.push(s);break}}return n.join("")}function fn(e){return e.replace(/[A-Z]/g,t=>"_"+t.
toLowerCase())}var Gu=new Set(["constructor","toString","toJSON","valueOf"]);function He(e){return Gu.has(e)?e+"$":e}function Nt(e){for(let t of e.field)Fe(t,"jsonName")||(t.jsonName=ge(t.name));e.nestedType.forEach(Nt)}function Wa(e,t){let n=e.values.find(r=>r.name===t);if(!n)throw new Error(`cannot parse ${e} default value: ${t}`);return n.number}function Fa(e,t){switch(e){case d.
STRING:return t;case d.BYTES:{let n=xu(t);if(n===!1)throw new Error(`cannot parse ${d[e]} default value: ${t}`);return n}case d.INT64:case d.SFIXED64:case d.SINT64:
return I.parse(t);case d.UINT64:case d.FIXED64:return I.uParse(t);case d.DOUBLE:case d.FLOAT:switch(t){case"inf":return Number.POSITIVE_INFINITY;case"-inf":return Number.
NEGATIVE_INFINITY;case"nan":return Number.NaN;default:return parseFloat(t)}case d.BOOL:return t==="true";case d.INT32:case d.UINT32:case d.SINT32:case d.FIXED32:case d.
SFIXED32:return parseInt(t,10)}}function xu(e){let t=[],n={tail:e,c:"",next(){return this.tail.length==0?!1:(this.c=this.tail[0],this.tail=this.tail.substring(1),
!0)},take(r){if(this.tail.length>=r){let s=this.tail.substring(0,r);return this.tail=this.tail.substring(r),s}return!1}};for(;n.next();)switch(n.c){case"\\":if(n.
next())switch(n.c){case"\\":t.push(n.c.charCodeAt(0));break;case"b":t.push(8);break;case"f":t.push(12);break;case"n":t.push(10);break;case"r":t.push(13);break;case"\
t":t.push(9);break;case"v":t.push(11);break;case"0":case"1":case"2":case"3":case"4":case"5":case"6":case"7":{let r=n.c,s=n.take(2);if(s===!1)return!1;let o=parseInt(
r+s,8);if(Number.isNaN(o))return!1;t.push(o);break}case"x":{let r=n.c,s=n.take(2);if(s===!1)return!1;let o=parseInt(r+s,16);if(Number.isNaN(o))return!1;t.push(o);
break}case"u":{let r=n.c,s=n.take(4);if(s===!1)return!1;let o=parseInt(r+s,16);if(Number.isNaN(o))return!1;let a=new Uint8Array(4);new DataView(a.buffer).setInt32(
0,o,!0),t.push(a[0],a[1],a[2],a[3]);break}case"U":{let r=n.c,s=n.take(8);if(s===!1)return!1;let o=I.uEnc(r+s),a=new Uint8Array(8),i=new DataView(a.buffer);i.setInt32(
0,o.lo,!0),i.setInt32(4,o.hi,!0),t.push(a[0],a[1],a[2],a[3],a[4],a[5],a[6],a[7]);break}}break;default:t.push(n.c.charCodeAt(0))}return new Uint8Array(t)}function*hn(e){switch(e.kind){case"file":for(let t of e.messages)yield t,yield*hn(t);yield*e.enums,yield*e.services,yield*e.extensions;break;case"message":for(let t of e.
nestedMessages)yield t,yield*hn(t);yield*e.nestedEnums,yield*e.nestedExtensions;break}}function bn(e,t){return Vu([e,t])}function Vu(e,t){let n=Iu();if(!e.length)return n;if("$typeName"in e[0]&&e[0].$typeName=="google.protobuf.FileDescriptorSet"){
for(let r of e[0].file)t?.(r),Xa(r,n);return n}if("$typeName"in e[0]){let a=function(i){let c=[];for(let l of i.dependency){if(n.getFile(l)!=null||o.has(l))continue;
let u=s(l);if(!u)throw new Error(`Unable to resolve ${l}, imported by ${i.name}`);"kind"in u?n.addFile(u,!1,!0):(o.add(u.name),c.push(u))}return c.concat(...c.map(
a))},r=e[0],s=e[1],o=new Set;for(let i of[r,...a(r)].reverse())t?.(i),Xa(i,n)}else for(let r of e)for(let s of r.files)n.addFile(s);return n}function Iu(){let e=new Map,t=new Map,n=new Map;return{kind:"registry",types:e,extendees:t,[Symbol.iterator](){return e.values()},get files(){return n.values()},
addFile(r,s,o){if(n.set(r.proto.name,r),!s)for(let a of hn(r))this.add(a);if(o)for(let a of r.dependencies)this.addFile(a,s,o)},add(r){if(r.kind=="extension"){let s=t.
get(r.extendee.typeName);s||t.set(r.extendee.typeName,s=new Map),s.set(r.number,r)}e.set(r.typeName,r)},get(r){return e.get(r)},getFile(r){return n.get(r)},getMessage(r){
let s=e.get(r);return s?.kind=="message"?s:void 0},getEnum(r){let s=e.get(r);return s?.kind=="enum"?s:void 0},getExtension(r){let s=e.get(r);return s?.kind=="ex\
tension"?s:void 0},getExtensionFor(r,s){var o;return(o=t.get(r.typeName))===null||o===void 0?void 0:o.get(s)},getService(r){let s=e.get(r);return s?.kind=="serv\
ice"?s:void 0}}}var Nu=998,Mu=999,Yu=9999,Wu=9,Yt=10,Mt=11,Fu=12,Ca=14,bs=3,Cu=2,La=1,Lu=0,ps=1,ka=2,ku=3,Xu=1,Tu=2,Bu=1,_u=2;var wu=1002,Ba={998:{fieldPresence:1,enumType:2,repeatedFieldEncoding:2,utf8Validation:3,messageEncoding:1,jsonFormat:2,enforceNamingStyle:2,defaultSymbolVisibility:1,
enforceProtoLimits:1},999:{fieldPresence:2,enumType:1,repeatedFieldEncoding:1,utf8Validation:2,messageEncoding:1,jsonFormat:1,enforceNamingStyle:2,defaultSymbolVisibility:1,
enforceProtoLimits:1},1e3:{fieldPresence:1,enumType:1,repeatedFieldEncoding:1,utf8Validation:2,messageEncoding:1,jsonFormat:1,enforceNamingStyle:2,defaultSymbolVisibility:1,
enforceProtoLimits:1},1001:{fieldPresence:1,enumType:1,repeatedFieldEncoding:1,utf8Validation:2,messageEncoding:1,jsonFormat:1,enforceNamingStyle:1,defaultSymbolVisibility:2,
enforceProtoLimits:1},1002:{fieldPresence:1,enumType:1,repeatedFieldEncoding:1,utf8Validation:2,messageEncoding:1,jsonFormat:1,enforceNamingStyle:3,defaultSymbolVisibility:4,
enforceProtoLimits:2}};function Xa(e,t){var n,r;let s={kind:"file",proto:e,deprecated:(r=(n=e.options)===null||n===void 0?void 0:n.deprecated)!==null&&r!==void 0?
r:!1,edition:Du(e),name:e.name.replace(/\.proto$/,""),dependencies:Ku(e,t),enums:[],messages:[],extensions:[],services:[],toString(){return`file ${e.name}`}},o=new Map,
a={get(i){return o.get(i)},add(i){var c;ee(((c=i.proto.options)===null||c===void 0?void 0:c.mapEntry)===!0),o.set(i.typeName,i)}};for(let i of e.enumType)_a(i,s,
void 0,t);for(let i of e.messageType)wa(i,s,void 0,t,a);for(let i of e.service)Uu(i,s,t);gs(s,t);for(let i of o.values())fs(i,t,a);for(let i of s.messages)fs(i,
t,a),gs(i,t);t.addFile(s,!0)}function gs(e,t){switch(e.kind){case"file":for(let n of e.proto.extension){let r=hs(n,e,t);e.extensions.push(r),t.add(r)}break;case"\
message":for(let n of e.proto.extension){let r=hs(n,e,t);e.nestedExtensions.push(r),t.add(r)}for(let n of e.nestedMessages)gs(n,t);break}}function fs(e,t,n){let r=e.
proto.oneofDecl.map(o=>$u(o,e)),s=new Set;for(let o of e.proto.field){let a=zu(o,r),i=hs(o,e,t,a,n);e.fields.push(i),e.field[i.localName]=i,a===void 0?e.members.
push(i):(a.fields.push(i),s.has(a)||(s.add(a),e.members.push(a)))}for(let o of r.filter(a=>s.has(a)))e.oneofs.push(o);for(let o of e.nestedMessages)fs(o,t,n)}function _a(e,t,n,r){
var s,o,a,i,c,l,u,p,f;let g=Ou(e.name,e.value),h={kind:"enum",proto:e,deprecated:(o=(s=e.options)===null||s===void 0?void 0:s.deprecated)!==null&&o!==void 0?o:!1,
file:t,parent:n,open:!0,name:e.name,typeName:yn(e,n,t),value:{},values:[],sharedPrefix:g,toString(){return`enum ${this.typeName}`}};h.open=ed(h),r.add(h);for(let R of e.
value){let E=R.name,x={kind:"enum_value",proto:R,deprecated:(i=(a=R.options)===null||a===void 0?void 0:a.deprecated)!==null&&i!==void 0?i:!1,parent:h,name:E,localName:He(
g==null?E:E.substring(g.length)),number:R.number,jsonName:(c=Pu(R))!==null&&c!==void 0?c:E,toString(){return`enum value ${h.typeName}.${E}`}};h.values.push(x),(l=
(p=h.value)[f=R.number])!==null&&l!==void 0||(p[f]=x)}((u=n?.nestedEnums)!==null&&u!==void 0?u:t.enums).push(h)}function wa(e,t,n,r,s){var o,a,i,c;let l={kind:"\
message",proto:e,deprecated:(a=(o=e.options)===null||o===void 0?void 0:o.deprecated)!==null&&a!==void 0?a:!1,file:t,parent:n,name:e.name,typeName:yn(e,n,t),fields:[],
field:{},oneofs:[],members:[],nestedEnums:[],nestedMessages:[],nestedExtensions:[],toString(){return`message ${this.typeName}`}};((i=e.options)===null||i===void 0?
void 0:i.mapEntry)===!0?s.add(l):(((c=n?.nestedMessages)!==null&&c!==void 0?c:t.messages).push(l),r.add(l));for(let u of e.enumType)_a(u,t,l,r);for(let u of e.nestedType)
wa(u,t,l,r,s)}function Uu(e,t,n){var r,s;let o={kind:"service",proto:e,deprecated:(s=(r=e.options)===null||r===void 0?void 0:r.deprecated)!==null&&s!==void 0?s:
!1,file:t,name:e.name,typeName:yn(e,void 0,t),methods:[],method:{},toString(){return`service ${this.typeName}`}};t.services.push(o),n.add(o);for(let a of e.method){
let i=Ju(a,o,n);o.methods.push(i),o.method[i.localName]=i}}function Ju(e,t,n){var r,s,o,a;let i;e.clientStreaming&&e.serverStreaming?i="bidi_streaming":e.clientStreaming?
i="client_streaming":e.serverStreaming?i="server_streaming":i="unary";let c=n.getMessage(fe(e.inputType)),l=n.getMessage(fe(e.outputType));ee(c,`invalid MethodD\
escriptorProto: input_type ${e.inputType} not found`),ee(l,`invalid MethodDescriptorProto: output_type ${e.inputType} not found`);let u=e.name;return{kind:"rpc",
proto:e,deprecated:(s=(r=e.options)===null||r===void 0?void 0:r.deprecated)!==null&&s!==void 0?s:!1,parent:t,name:u,localName:He(u.length?He(u[0].toLowerCase()+
u.substring(1)):u),methodKind:i,input:c,output:l,idempotency:(a=(o=e.options)===null||o===void 0?void 0:o.idempotencyLevel)!==null&&a!==void 0?a:Lu,toString(){return`\
rpc ${t.typeName}.${u}`}}}function $u(e,t){return{kind:"oneof",proto:e,deprecated:!1,parent:t,fields:[],name:e.name,localName:He(ge(e.name)),toString(){return`o\
neof ${t.typeName}.${this.name}`}}}function hs(e,t,n,r,s){var o,a,i;let c=s===void 0,l={kind:"field",proto:e,deprecated:(a=(o=e.options)===null||o===void 0?void 0:
o.deprecated)!==null&&a!==void 0?a:!1,name:e.name,number:e.number,scalar:void 0,message:void 0,enum:void 0,presence:Hu(e,r,c,t),utf8Validation:td(e,t),listKind:void 0,
mapKind:void 0,mapKey:void 0,delimitedEncoding:void 0,packed:void 0,longAsString:!1,getDefaultValue:void 0},u;if(c){let h=t.kind=="file"?t:t.file,R=t.kind=="fil\
e"?void 0:t,E=yn(e,R,h);l.kind="extension",l.file=h,l.parent=R,l.oneof=void 0,l.typeName=E,l.jsonName=`[${E}]`,u=()=>`extension ${E}`;let x=n.getMessage(fe(e.extendee));
ee(x,`invalid FieldDescriptorProto: extendee ${e.extendee} not found`),l.extendee=x}else{let h=t;ee(h.kind=="message"),l.parent=h,l.oneof=r,l.localName=r?ge(e.name):
He(ge(e.name)),l.jsonName=e.jsonName,u=()=>`field ${h.typeName}.${e.name}`}Object.defineProperty(l,"toString",{value:u,writable:!0,enumerable:!0,configurable:!0});
let p=e.label,f=e.type,g=(i=e.options)===null||i===void 0?void 0:i.jstype;if(p===bs){let h=f==Mt?s?.get(fe(e.typeName)):void 0;if(h){l.fieldKind="map";let{key:R,
value:E}=qu(h);return l.mapKey=R.scalar,l.mapKind=E.fieldKind,l.message=E.message,l.delimitedEncoding=!1,l.enum=E.enum,l.scalar=E.scalar,l}switch(l.fieldKind="l\
ist",f){case Mt:case Yt:l.listKind="message",l.message=n.getMessage(fe(e.typeName)),ee(l.message),l.delimitedEncoding=Ta(e,t);break;case Ca:l.listKind="enum",l.
enum=n.getEnum(fe(e.typeName)),ee(l.enum);break;default:l.listKind="scalar",l.scalar=f,l.longAsString=g==La;break}return l.packed=ju(e,t),l}switch(f){case Mt:case Yt:
l.fieldKind="message",l.message=n.getMessage(fe(e.typeName)),ee(l.message,`invalid FieldDescriptorProto: type_name ${e.typeName} not found`),l.delimitedEncoding=
Ta(e,t),l.getDefaultValue=()=>{};break;case Ca:{let h=n.getEnum(fe(e.typeName));ee(h!==void 0,`invalid FieldDescriptorProto: type_name ${e.typeName} not found`),
l.fieldKind="enum",l.enum=n.getEnum(fe(e.typeName)),l.getDefaultValue=()=>Fe(e,"defaultValue")?Wa(h,e.defaultValue):void 0;break}default:{l.fieldKind="scalar",l.
scalar=f,l.longAsString=g==La,l.getDefaultValue=()=>Fe(e,"defaultValue")?Fa(f,e.defaultValue):void 0;break}}return l}function Du(e){switch(e.syntax){case"":case"\
proto2":return Nu;case"proto3":return Mu;case"editions":if(e.edition===Yu)return wu;if(e.edition in Ba)return e.edition;throw new Error(`${e.name}: unsupported \
edition`);default:throw new Error(`${e.name}: unsupported syntax "${e.syntax}"`)}}function Ku(e,t){return e.dependency.map(n=>{let r=t.getFile(n);if(!r)throw new Error(
`Cannot find ${n}, imported by ${e.name}`);return r})}function Ou(e,t){let n=Qu(e)+"_";for(let r of t){if(!r.name.toLowerCase().startsWith(n))return;let s=r.name.
substring(n.length);if(s.length==0||/^\d/.test(s))return}return n}function Pu(e){var t,n;let o;for(let a of(n=(t=e.options)===null||t===void 0?void 0:t.$unknown)!==
null&&n!==void 0?n:[]){if(a.no!==998||a.wireType!==Y.LengthDelimited)continue;let i=new P(new P(a.data).bytes());for(;i.pos<i.len;){let[c,l]=i.tag();c===1&&l===
Y.LengthDelimited?o=i.string():i.skip(l,c)}}return o}function Qu(e){return(e.substring(0,1)+e.substring(1).replace(/[A-Z]/g,t=>"_"+t)).toLowerCase()}function yn(e,t,n){
let r;return t?r=`${t.typeName}.${e.name}`:n.proto.package.length>0?r=`${n.proto.package}.${e.name}`:r=`${e.name}`,r}function fe(e){return e.startsWith(".")?e.substring(
1):e}function zu(e,t){if(!Fe(e,"oneofIndex")||e.proto3Optional)return;let n=t[e.oneofIndex];return ee(n,`invalid FieldDescriptorProto: oneof #${e.oneofIndex} fo\
r field #${e.number} not found`),n}function Hu(e,t,n,r){if(e.label==Cu)return ku;if(e.label==bs)return ka;if(t||e.proto3Optional||n)return ps;let s=Ce("fieldPre\
sence",{proto:e,parent:r});return s==ka&&(e.type==Mt||e.type==Yt)?ps:s}function ju(e,t){if(e.label!=bs)return!1;switch(e.type){case Wu:case Fu:case Yt:case Mt:return!1}
let n=e.options;return n&&Fe(n,"packed")?n.packed:Xu==Ce("repeatedFieldEncoding",{proto:e,parent:t})}function qu(e){let t=e.fields.find(r=>r.number===1),n=e.fields.
find(r=>r.number===2);return ee(t&&t.fieldKind=="scalar"&&t.scalar!=d.BYTES&&t.scalar!=d.FLOAT&&t.scalar!=d.DOUBLE&&n&&n.fieldKind!="list"&&n.fieldKind!="map"),
{key:t,value:n}}function ed(e){var t;return Bu==Ce("enumType",{proto:e.proto,parent:(t=e.parent)!==null&&t!==void 0?t:e.file})}function Ta(e,t){return e.type==Yt?
!0:Tu==Ce("messageEncoding",{proto:e,parent:t})}function td(e,t){return _u==Ce("utf8Validation",{proto:e,parent:t})}function Ce(e,t){var n,r;let s=(n=t.proto.options)===
null||n===void 0?void 0:n.features;if(s){let o=s[e];if(o!=0)return o}if("kind"in t){if(t.kind=="message")return Ce(e,(r=t.parent)!==null&&r!==void 0?r:t.file);let o=Ba[t.
edition];if(!o)throw new Error(`feature default for edition ${t.edition} not found`);return o[e]}return Ce(e,t.parent)}function ee(e,t){if(!e)throw new Error(t)}function Ua(e){let t=nd(e);return t.messageType.forEach(Nt),bn(t,()=>{}).getFile(t.name)}function nd(e){return Object.assign(Object.create({syntax:"",edition:0}),
Object.assign(Object.assign({$typeName:"google.protobuf.FileDescriptorProto",dependency:[],publicDependency:[],weakDependency:[],optionDependency:[],service:[],
extension:[]},e),{messageType:e.messageType.map(Ja),enumType:e.enumType.map($a)}))}function Ja(e){var t,n,r,s,o,a,i,c;return Object.assign(Object.create({visibility:0}),
{$typeName:"google.protobuf.DescriptorProto",name:e.name,field:(n=(t=e.field)===null||t===void 0?void 0:t.map(rd))!==null&&n!==void 0?n:[],extension:[],nestedType:(s=
(r=e.nestedType)===null||r===void 0?void 0:r.map(Ja))!==null&&s!==void 0?s:[],enumType:(a=(o=e.enumType)===null||o===void 0?void 0:o.map($a))!==null&&a!==void 0?
a:[],extensionRange:(c=(i=e.extensionRange)===null||i===void 0?void 0:i.map(u=>Object.assign({$typeName:"google.protobuf.DescriptorProto.ExtensionRange"},u)))!==
null&&c!==void 0?c:[],oneofDecl:[],reservedRange:[],reservedName:[]})}function rd(e){return Object.assign(Object.create({label:1,typeName:"",extendee:"",defaultValue:"",
oneofIndex:0,jsonName:"",proto3Optional:!1}),Object.assign(Object.assign({$typeName:"google.protobuf.FieldDescriptorProto"},e),{options:e.options?sd(e.options):
void 0}))}function sd(e){var t,n,r;return Object.assign(Object.create({ctype:0,packed:!1,jstype:0,lazy:!1,unverifiedLazy:!1,deprecated:!1,weak:!1,debugRedact:!1,
retention:0}),Object.assign(Object.assign({$typeName:"google.protobuf.FieldOptions"},e),{targets:(t=e.targets)!==null&&t!==void 0?t:[],editionDefaults:(r=(n=e.editionDefaults)===
null||n===void 0?void 0:n.map(o=>Object.assign({$typeName:"google.protobuf.FieldOptions.EditionDefault"},o)))!==null&&r!==void 0?r:[],uninterpretedOption:[]}))}
function $a(e){return Object.assign(Object.create({visibility:0}),{$typeName:"google.protobuf.EnumDescriptorProto",name:e.name,reservedName:[],reservedRange:[],
value:e.value.map(n=>Object.assign({$typeName:"google.protobuf.EnumValueDescriptorProto"},n))})}function G(e,t,...n){return n.reduce((r,s)=>r.nestedMessages[s],e.messages[t])}var od=Ua({name:"google/protobuf/descriptor.proto",package:"google.protobuf",messageType:[{name:"FileDescriptorSet",field:[{name:"file",number:1,type:11,label:3,
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
{name:"VISIBILITY_UNSET",number:0},{name:"VISIBILITY_LOCAL",number:1},{name:"VISIBILITY_EXPORT",number:2}]}]});var mi=G(od,1);var Da;(function(e){e[e.DECLARATION=0]="DECLARATION",e[e.UNVERIFIED=1]="UNVERIFIED"})(Da||(Da={}));var Ka;(function(e){e[e.DOUBLE=1]="DOUBLE",e[e.FLOAT=2]="FLOAT",e[e.INT64=3]="INT64",e[e.UINT64=4]="UINT64",e[e.INT32=5]="INT32",e[e.FIXED64=6]="FIXED64",e[e.FIXED32=
7]="FIXED32",e[e.BOOL=8]="BOOL",e[e.STRING=9]="STRING",e[e.GROUP=10]="GROUP",e[e.MESSAGE=11]="MESSAGE",e[e.BYTES=12]="BYTES",e[e.UINT32=13]="UINT32",e[e.ENUM=14]=
"ENUM",e[e.SFIXED32=15]="SFIXED32",e[e.SFIXED64=16]="SFIXED64",e[e.SINT32=17]="SINT32",e[e.SINT64=18]="SINT64"})(Ka||(Ka={}));var Oa;(function(e){e[e.OPTIONAL=1]="OPTIONAL",e[e.REPEATED=3]="REPEATED",e[e.REQUIRED=2]="REQUIRED"})(Oa||(Oa={}));var Pa;(function(e){e[e.SPEED=1]="SPEED",e[e.CODE_SIZE=2]="CODE_SIZE",e[e.LITE_RUNTIME=3]="LITE_RUNTIME"})(Pa||(Pa={}));var Qa;(function(e){e[e.STRING=0]="STRING",e[e.CORD=1]="CORD",e[e.STRING_PIECE=2]="STRING_PIECE"})(Qa||(Qa={}));var za;(function(e){e[e.JS_NORMAL=0]="JS_NORMAL",e[e.JS_STRING=1]="JS_STRING",e[e.JS_NUMBER=2]="JS_NUMBER"})(za||(za={}));var Ha;(function(e){e[e.RETENTION_UNKNOWN=0]="RETENTION_UNKNOWN",e[e.RETENTION_RUNTIME=1]="RETENTION_RUNTIME",e[e.RETENTION_SOURCE=2]="RETENTION_SOURCE"})(Ha||(Ha=
{}));var ja;(function(e){e[e.TARGET_TYPE_UNKNOWN=0]="TARGET_TYPE_UNKNOWN",e[e.TARGET_TYPE_FILE=1]="TARGET_TYPE_FILE",e[e.TARGET_TYPE_EXTENSION_RANGE=2]="TARGET_TYPE_\
EXTENSION_RANGE",e[e.TARGET_TYPE_MESSAGE=3]="TARGET_TYPE_MESSAGE",e[e.TARGET_TYPE_FIELD=4]="TARGET_TYPE_FIELD",e[e.TARGET_TYPE_ONEOF=5]="TARGET_TYPE_ONEOF",e[e.
TARGET_TYPE_ENUM=6]="TARGET_TYPE_ENUM",e[e.TARGET_TYPE_ENUM_ENTRY=7]="TARGET_TYPE_ENUM_ENTRY",e[e.TARGET_TYPE_SERVICE=8]="TARGET_TYPE_SERVICE",e[e.TARGET_TYPE_METHOD=
9]="TARGET_TYPE_METHOD"})(ja||(ja={}));var qa;(function(e){e[e.IDEMPOTENCY_UNKNOWN=0]="IDEMPOTENCY_UNKNOWN",e[e.NO_SIDE_EFFECTS=1]="NO_SIDE_EFFECTS",e[e.IDEMPOTENT=2]="IDEMPOTENT"})(qa||(qa={}));var ei;(function(e){e[e.DEFAULT_SYMBOL_VISIBILITY_UNKNOWN=0]="DEFAULT_SYMBOL_VISIBILITY_UNKNOWN",e[e.EXPORT_ALL=1]="EXPORT_ALL",e[e.EXPORT_TOP_LEVEL=2]="EXPORT_\
TOP_LEVEL",e[e.LOCAL_ALL=3]="LOCAL_ALL",e[e.STRICT=4]="STRICT"})(ei||(ei={}));var ti;(function(e){e[e.PROTO_LIMITS_UNKNOWN=0]="PROTO_LIMITS_UNKNOWN",e[e.LEGACY_NO_EXPLICIT_LIMITS=1]="LEGACY_NO_EXPLICIT_LIMITS",e[e.PROTO_LIMITS2026=2]="PRO\
TO_LIMITS2026"})(ti||(ti={}));var ni;(function(e){e[e.FIELD_PRESENCE_UNKNOWN=0]="FIELD_PRESENCE_UNKNOWN",e[e.EXPLICIT=1]="EXPLICIT",e[e.IMPLICIT=2]="IMPLICIT",e[e.LEGACY_REQUIRED=3]="LEGACY_\
REQUIRED"})(ni||(ni={}));var ri;(function(e){e[e.ENUM_TYPE_UNKNOWN=0]="ENUM_TYPE_UNKNOWN",e[e.OPEN=1]="OPEN",e[e.CLOSED=2]="CLOSED"})(ri||(ri={}));var si;(function(e){e[e.REPEATED_FIELD_ENCODING_UNKNOWN=0]="REPEATED_FIELD_ENCODING_UNKNOWN",e[e.PACKED=1]="PACKED",e[e.EXPANDED=2]="EXPANDED"})(si||(si={}));var oi;(function(e){e[e.UTF8_VALIDATION_UNKNOWN=0]="UTF8_VALIDATION_UNKNOWN",e[e.VERIFY=2]="VERIFY",e[e.NONE=3]="NONE"})(oi||(oi={}));var ai;(function(e){e[e.MESSAGE_ENCODING_UNKNOWN=0]="MESSAGE_ENCODING_UNKNOWN",e[e.LENGTH_PREFIXED=1]="LENGTH_PREFIXED",e[e.DELIMITED=2]="DELIMITED"})(ai||(ai={}));var ii;(function(e){e[e.JSON_FORMAT_UNKNOWN=0]="JSON_FORMAT_UNKNOWN",e[e.ALLOW=1]="ALLOW",e[e.LEGACY_BEST_EFFORT=2]="LEGACY_BEST_EFFORT"})(ii||(ii={}));var ci;(function(e){e[e.ENFORCE_NAMING_STYLE_UNKNOWN=0]="ENFORCE_NAMING_STYLE_UNKNOWN",e[e.STYLE2024=1]="STYLE2024",e[e.STYLE_LEGACY=2]="STYLE_LEGACY",e[e.STYLE2026=
3]="STYLE2026"})(ci||(ci={}));var li;(function(e){e[e.NONE=0]="NONE",e[e.SET=1]="SET",e[e.ALIAS=2]="ALIAS"})(li||(li={}));var ui;(function(e){e[e.EDITION_UNKNOWN=0]="EDITION_UNKNOWN",e[e.EDITION_LEGACY=900]="EDITION_LEGACY",e[e.EDITION_PROTO2=998]="EDITION_PROTO2",e[e.EDITION_PROTO3=
999]="EDITION_PROTO3",e[e.EDITION_2023=1e3]="EDITION_2023",e[e.EDITION_2024=1001]="EDITION_2024",e[e.EDITION_2026=1002]="EDITION_2026",e[e.EDITION_UNSTABLE=9999]=
"EDITION_UNSTABLE",e[e.EDITION_1_TEST_ONLY=1]="EDITION_1_TEST_ONLY",e[e.EDITION_2_TEST_ONLY=2]="EDITION_2_TEST_ONLY",e[e.EDITION_99997_TEST_ONLY=99997]="EDITION\
_99997_TEST_ONLY",e[e.EDITION_99998_TEST_ONLY=99998]="EDITION_99998_TEST_ONLY",e[e.EDITION_99999_TEST_ONLY=99999]="EDITION_99999_TEST_ONLY",e[e.EDITION_MAX=2147483647]=
"EDITION_MAX"})(ui||(ui={}));var di;(function(e){e[e.VISIBILITY_UNSET=0]="VISIBILITY_UNSET",e[e.VISIBILITY_LOCAL=1]="VISIBILITY_LOCAL",e[e.VISIBILITY_EXPORT=2]="VISIBILITY_EXPORT"})(di||(di=
{}));function ys(e){return Object.assign(Object.assign({readUnknownFields:!0,recursionLimit:100},e),{depth:0})}function $(e,t,n){let r=M(e);return Es(e).read(r,new P(
t),ys(n),t.byteLength),r}var pi=new WeakMap;function Es(e){let t=pi.get(e);return t===void 0&&(t=ad(e)),t}function ad(e){let t=String(e),n=new Map,r={read:id(t,n),readGroup:cd(t,n)};pi.
set(e,r);for(let s of e.fields)n.set(s.number,fi(s));return r}function id(e,t){return(n,r,s,o)=>{var a;if(++s.depth>s.recursionLimit)throw new Error(`cannot dec\
ode ${e} from binary: maximum recursion depth of ${s.recursionLimit} reached`);let i=r.pos+o,c=(a=n.$unknown)!==null&&a!==void 0?a:[];for(;r.pos<i;){let[l,u]=r.
tag(),p=t.get(l);if(p===void 0){let f=r.skip(u,l,s.recursionLimit-s.depth);s.readUnknownFields&&c.push({no:l,wireType:u,data:f});continue}p(n,r,s,u)}c.length>0&&
(n.$unknown=c),s.depth--}}function cd(e,t){return(n,r,s,o)=>{var a;if(++s.depth>s.recursionLimit)throw new Error(`cannot decode ${e} from binary: maximum recurs\
ion depth of ${s.recursionLimit} reached`);let i,c,l=(a=n.$unknown)!==null&&a!==void 0?a:[];for(;r.pos<r.len&&([i,c]=r.tag(),c!=Y.EndGroup);){let u=t.get(i);if(u===
void 0){let p=r.skip(c,i,s.recursionLimit-s.depth);s.readUnknownFields&&l.push({no:i,wireType:c,data:p});continue}u(n,r,s,c)}if(c!=Y.EndGroup||i!==o)throw new Error(
"invalid end group tag");l.length>0&&(n.$unknown=l),s.depth--}}function gi(e,t,n,r,s){fi(n)(e[L],t,s,r)}function fi(e){switch(e.fieldKind){case"scalar":return ld(
e);case"enum":return ud(e);case"message":return dd(e);case"list":return md(e);case"map":return pd(e)}}function ld(e){let t=En(e.scalar,e.utf8Validation,e.longAsString),
n=e.localName;if(e.oneof){let r=e.oneof.localName;return(s,o)=>{s[r]={case:n,value:t(o)}}}return(r,s)=>{r[n]=t(s)}}function ud(e){var t;let n=e.localName,r=(t=e.
oneof)===null||t===void 0?void 0:t.localName;if(e.enum.open)return r!==void 0?(a,i)=>{a[r]={case:n,value:i.int32()}}:(a,i)=>{a[n]=i.int32()};let s=e.enum.values,
o=e.number;return(a,i,c,l)=>{var u;let p=i.int32();if(s.some(f=>f.number===p))r!==void 0?a[r]={case:n,value:p}:a[n]=p;else if(c.readUnknownFields){let f=[];Po(p,
f);let g=(u=a.$unknown)!==null&&u!==void 0?u:[];g.push({no:o,wireType:l,data:new Uint8Array(f)}),a.$unknown=g}}}function dd(e){let t=e.localName,{toMessage:n,toLocal:r}=_(
e),s=hi(e);if(e.oneof){let o=e.oneof.localName;return(a,i,c)=>{let l=a[o],u=n(l.case===t?l.value:void 0);s(u,i,c),a[o]={case:t,value:r(u)}}}return(o,a,i)=>{let c=n(
o[t]);s(c,a,i),o[t]=r(c)}}function hi(e){let t=Es(e.message);if(e.delimitedEncoding){let n=e.number;return(r,s,o)=>t.readGroup(r,s,o,n)}return(n,r,s)=>t.read(n,
r,s,r.uint32())}function md(e){let t=e.localName;if(e.listKind=="message"){let{toMessage:a,toLocal:i}=_(e),c=hi(e);return(l,u,p)=>{let f=a(void 0);c(f,u,p),l[t].
push(i(f))}}let n=e.listKind=="enum"?d.INT32:e.scalar,r=e.listKind=="scalar"?e.longAsString:!1,s=En(n,e.utf8Validation,r),o=n!=d.STRING&&n!=d.BYTES;return(a,i,c,l)=>{
let u=a[t];if(l==Y.LengthDelimited&&o){let p=i.uint32()+i.pos;for(;i.pos<p;)u.push(s(i))}else u.push(s(i))}}function pd(e){let t=e.localName,n=En(e.mapKey,e.utf8Validation,
!1),r=X(e.mapKey,!1),s,o;switch(e.mapKind){case"scalar":{let a=e.scalar,i=En(a,e.utf8Validation,!1);if(s=c=>i(c),a==d.BYTES)o=()=>new Uint8Array(0);else{let c=X(
a,!1);o=()=>c}break}case"enum":{let a=e.enum.values[0].number;s=i=>i.int32(),o=()=>a;break}case"message":{let{toMessage:a,toLocal:i}=_(e),c=Es(e.message).read;s=
(l,u,p)=>{let f=a(p);return c(f,l,u,l.uint32()),i(f)},o=()=>i(a(void 0));break}}return(a,i,c)=>{let l=a[t],u,p,f=i.uint32(),g=i.pos+f;for(;i.pos<g;){let[h,R]=i.
tag();switch(h){case 1:u=n(i);break;case 2:p=s(i,c,p);break;default:i.skip(R,h,c.recursionLimit-c.depth)}}u===void 0&&(u=r),p===void 0&&(p=o()),k(l,u,p)}}function En(e,t,n){
switch(e){case d.STRING:return r=>r.string(t);case d.BOOL:return r=>r.bool();case d.DOUBLE:return r=>r.double();case d.FLOAT:return r=>r.float();case d.INT32:return r=>r.
int32();case d.INT64:return n?r=>String(r.int64()):r=>r.int64();case d.UINT64:return n?r=>String(r.uint64()):r=>r.uint64();case d.FIXED64:return n?r=>String(r.fixed64()):
r=>r.fixed64();case d.BYTES:return r=>r.bytes();case d.FIXED32:return r=>r.fixed32();case d.SFIXED32:return r=>r.sfixed32();case d.SFIXED64:return n?r=>String(r.
sfixed64()):r=>r.sfixed64();case d.SINT64:return n?r=>String(r.sint64()):r=>r.sint64();case d.UINT32:return r=>r.uint32();case d.SINT32:return r=>r.sint32()}}function y(e,t){var n;let r=$(mi,ze(e));return r.messageType.forEach(Nt),r.dependency=(n=t?.map(o=>o.proto.name))!==null&&n!==void 0?n:[],bn(r,o=>t?.find(a=>a.proto.
name===o)).getFile(r.name)}var Rs=y("Chlnb29nbGUvcHJvdG9idWYvYW55LnByb3RvEg9nb29nbGUucHJvdG9idWYiJgoDQW55EhAKCHR5cGVfdXJsGAEgASgJEg0KBXZhbHVlGAIgASgMQnYKE2NvbS5nb29nbGUucHJvdG9idWZCCEFueV\
Byb3RvUAFaLGdvb2dsZS5nb2xhbmcub3JnL3Byb3RvYnVmL3R5cGVzL2tub3duL2FueXBiogIDR1BCqgIeR29vZ2xlLlByb3RvYnVmLldlbGxLbm93blR5cGVzYgZwcm90bzM"),bi=G(Rs,0);var gd=2,fd=3,yi={writeUnknownFields:!0};function hd(e){return e?Object.assign(Object.assign({},yi),e):yi}function je(e,t,n){let r=new Pe;return Ss(e)(r,hd(n),t),
r.finish()}var Ei=new WeakMap;function Ss(e){let t=Ei.get(e);return t===void 0&&(t=bd(e)),t}function bd(e){let t=e.typeName,n=e.fields.concat().sort((a,i)=>a.number-
i.number),r=n[0],s=[],o=(a,i,c)=>{if(c.$typeName!==t&&r!==void 0)throw new N(r,`cannot use ${r} with message ${c.$typeName}`,"ForeignFieldError");for(let u=0;u<
s.length;u++)s[u](a,i,c);let l=c.$unknown;if(l!==void 0&&i.writeUnknownFields)for(let u=0;u<l.length;u++){let{no:p,wireType:f,data:g}=l[u];a.tag(p,f).raw(g)}};Ei.
set(e,o);for(let a of n)s.push(Ri(a));return o}function Ri(e){switch(e.fieldKind){case"message":case"scalar":case"enum":return yd(e);case"list":return Rd(e);case"\
map":return Sd(e)}}function yd(e){let t=Ed(e),n=e.localName;if(e.oneof){let r=e.oneof.localName;return(s,o,a)=>{let i=a[r];i.case===n&&t(s,o,i.value)}}if(e.presence!=
gd){let r=e.presence==fd?`cannot encode ${e} to binary: required field not set`:void 0;return(s,o,a)=>{let i=a[n];if(i!==void 0&&Object.prototype.hasOwnProperty.
call(a,n))t(s,o,i);else if(r!==void 0)throw new Error(r)}}if(e.fieldKind=="enum"){let r=e.enum.values[0].number;return(s,o,a)=>{let i=a[n];i!==r&&t(s,o,i)}}switch(e.
scalar){case d.BOOL:return(r,s,o)=>{let a=o[n];a!==!1&&t(r,s,a)};case d.STRING:return(r,s,o)=>{let a=o[n];a!==""&&t(r,s,a)};case d.BYTES:return(r,s,o)=>{let a=o[n];
(!(a instanceof Uint8Array)||a.byteLength>0)&&t(r,s,a)};case d.DOUBLE:case d.FLOAT:return(r,s,o)=>{let a=o[n];Object.is(a,0)||t(r,s,a)};default:return(r,s,o)=>{
let a=o[n];a!=0&&t(r,s,a)}}}function Ed(e){switch(e.fieldKind){case"message":{let{toMessage:t}=_(e),n=Ai(e);return(r,s,o)=>{n(r,s,t(o))}}case"scalar":case"enum":{
let t=e.fieldKind=="enum"?d.INT32:e.scalar,n=e.number,r=Sn(t),s=Rn(t,e.parent.typeName,e.name);return(o,a,i)=>{o.tag(n,r),s(o,i)}}}}function Rd(e){let t=e.localName,
n=e.number;switch(e.listKind){case"message":{let{toMessage:r}=_(e),s=Ai(e);return(o,a,i)=>{let c=i[t];for(let l=0;l<c.length;l++)s(o,a,r(c[l]))}}case"scalar":case"\
enum":{let r=e.listKind=="enum"?d.INT32:e.scalar,s=Rn(r,e.parent.typeName,e.name);if(e.packed)return(a,i,c)=>{let l=c[t];if(l.length!=0){a.tag(n,Y.LengthDelimited).
fork();for(let u=0;u<l.length;u++)s(a,l[u]);a.join()}};let o=Sn(r);return(a,i,c)=>{let l=c[t];for(let u=0;u<l.length;u++)a.tag(n,o),s(a,l[u])}}}}function Sd(e){
let t=e.localName,n=e.number,r=Ad(e);if(e.mapKind=="message"){let{toMessage:i}=_(e),c=Ss(e.message);return(l,u,p)=>{let f=p[t],g=Object.keys(f);for(let h=0;h<g.
length;h++){let R=g[h];l.tag(n,Y.LengthDelimited).fork(),r(l,R),l.tag(2,Y.LengthDelimited).fork(),c(l,u,i(f[R])),l.join(),l.join()}}}let s=e.mapKind=="enum"?d.INT32:
e.scalar,o=Sn(s),a=Rn(s,e.parent.typeName,e.name);return(i,c,l)=>{let u=l[t],p=Object.keys(u);for(let f=0;f<p.length;f++){let g=p[f];i.tag(n,Y.LengthDelimited).
fork(),r(i,g),i.tag(2,o),a(i,u[g]),i.join()}}}function Ad(e){let t=Sn(e.mapKey),n=Rn(e.mapKey,e.parent.typeName,e.name),r=Zd(e.mapKey);return(s,o)=>{s.tag(1,t),
n(s,r(o))}}function Zd(e){switch(e){case d.STRING:return t=>t;case d.BOOL:return t=>t==="true"?!0:t==="false"?!1:t;case d.UINT64:case d.FIXED64:return t=>{try{return I.
uParse(t)}catch{return t}};case d.INT64:case d.SFIXED64:case d.SINT64:return t=>{try{return I.parse(t)}catch{return t}};default:return t=>{let n=Number.parseInt(
t);return Number.isFinite(n)?n:t}}}function Rn(e,t,n){let r=vd(e);return(s,o)=>{try{r(s,o)}catch(a){throw a instanceof Error?new Error(`cannot encode field ${t}\
.${n} to binary: ${a.message}`):a}}}function vd(e){switch(e){case d.STRING:return(t,n)=>t.string(n);case d.BOOL:return(t,n)=>t.bool(n);case d.DOUBLE:return(t,n)=>t.
double(n);case d.FLOAT:return(t,n)=>t.float(n);case d.INT32:return(t,n)=>t.int32(n);case d.INT64:return(t,n)=>t.int64(n);case d.UINT64:return(t,n)=>t.uint64(n);case d.
FIXED64:return(t,n)=>t.fixed64(n);case d.BYTES:return(t,n)=>t.bytes(n);case d.FIXED32:return(t,n)=>t.fixed32(n);case d.SFIXED32:return(t,n)=>t.sfixed32(n);case d.
SFIXED64:return(t,n)=>t.sfixed64(n);case d.SINT64:return(t,n)=>t.sint64(n);case d.UINT32:return(t,n)=>t.uint32(n);case d.SINT32:return(t,n)=>t.sint32(n)}}function Si(e,t,n,r){
Ri(r)(e,t,n[L])}function Ai(e){let t=e.number,n=Ss(e.message);return e.delimitedEncoding?(r,s,o)=>{r.tag(t,Y.StartGroup),n(r,s,o),r.tag(t,Y.EndGroup)}:(r,s,o)=>{
r.tag(t,Y.LengthDelimited).fork(),n(r,s,o),r.join()}}function Sn(e){switch(e){case d.BYTES:case d.STRING:return Y.LengthDelimited;case d.DOUBLE:case d.FIXED64:case d.
SFIXED64:return Y.Bit64;case d.FIXED32:case d.SFIXED32:case d.FLOAT:return Y.Bit32;default:return Y.Varint}}function Zi(e,t,n){let r=!1;return n||(n=M(bi),r=!0),n.value=je(e,t),n.typeUrl=Vd(t.$typeName),r?n:void 0}function xd(e,t){if(e.typeUrl==="")return!1;let n=typeof t==
"string"?t:t.typeName,r=Gi(e.typeUrl);return n===r}function vi(e,t){if(e.typeUrl==="")return;let n=t.kind=="message"?t:t.getMessage(Gi(e.typeUrl));if(!(!n||!xd(
e,n)))return $(n,e.value)}function Vd(e){return`type.googleapis.com/${e}`}function Gi(e){let t=e.lastIndexOf("/"),n=t>=0?e.substring(t+1):e;if(!n.length)throw new Error(`invalid type url\
: ${e}`);return n}var As=y("Chxnb29nbGUvcHJvdG9idWYvc3RydWN0LnByb3RvEg9nb29nbGUucHJvdG9idWYihAEKBlN0cnVjdBIzCgZmaWVsZHMYASADKAsyIy5nb29nbGUucHJvdG9idWYuU3RydWN0LkZpZWxkc0VudHJ5Gk\
UKC0ZpZWxkc0VudHJ5EgsKA2tleRgBIAEoCRIlCgV2YWx1ZRgCIAEoCzIWLmdvb2dsZS5wcm90b2J1Zi5WYWx1ZToCOAEi6gEKBVZhbHVlEjAKCm51bGxfdmFsdWUYASABKA4yGi5nb29nbGUucHJvdG9idWYuTn\
VsbFZhbHVlSAASFgoMbnVtYmVyX3ZhbHVlGAIgASgBSAASFgoMc3RyaW5nX3ZhbHVlGAMgASgJSAASFAoKYm9vbF92YWx1ZRgEIAEoCEgAEi8KDHN0cnVjdF92YWx1ZRgFIAEoCzIXLmdvb2dsZS5wcm90b2J1Zi\
5TdHJ1Y3RIABIwCgpsaXN0X3ZhbHVlGAYgASgLMhouZ29vZ2xlLnByb3RvYnVmLkxpc3RWYWx1ZUgAQgYKBGtpbmQiMwoJTGlzdFZhbHVlEiYKBnZhbHVlcxgBIAMoCzIWLmdvb2dsZS5wcm90b2J1Zi5WYWx1ZS\
obCglOdWxsVmFsdWUSDgoKTlVMTF9WQUxVRRAAQn8KE2NvbS5nb29nbGUucHJvdG9idWZCC1N0cnVjdFByb3RvUAFaL2dvb2dsZS5nb2xhbmcub3JnL3Byb3RvYnVmL3R5cGVzL2tub3duL3N0cnVjdHBi+AEBog\
IDR1BCqgIeR29vZ2xlLlByb3RvYnVmLldlbGxLbm93blR5cGVzYgZwcm90bzM"),xi=G(As,0),Zs=G(As,1),Vi=G(As,2),An;(function(e){e[e.NULL_VALUE=0]="NULL_VALUE"})(An||(An={}));function Ii(e,t,n){Mi(t,e);let r=Id(e.$unknown,t),[s,o,a]=qe(t),i=ys(n);for(let c of r)gi(s,new P(c.data),o,c.wireType,i);return a()}function Ni(e,t,n){var r;Mi(
t,e);let s=((r=e.$unknown)!==null&&r!==void 0?r:[]).filter(l=>l.no!==t.number),[o,a]=qe(t,n),i=new Pe;Si(i,{writeUnknownFields:!0},o,a);let c=new P(i.finish());
for(;c.pos<c.len;){let[l,u]=c.tag(),p=c.skip(u,l);s.push({no:l,wireType:u,data:p})}e.$unknown=s}function Id(e,t){if(e===void 0)return[];if(t.fieldKind==="enum"||t.fieldKind==="scalar"){for(let n=e.length-1;n>=0;--n)if(e[n].no==t.number)return[e[n]];return[]}
return e.filter(n=>n.no===t.number)}function qe(e,t){let n=e.typeName,r=Object.assign(Object.assign({},e),{kind:"field",parent:e.extendee,localName:n}),s=Object.
assign(Object.assign({},e.extendee),{fields:[r],members:[r],oneofs:[]}),o=M(s,t!==void 0?{[n]:t}:void 0);return[Va(s,o),r,()=>{let a=o[n];if(a===void 0){let i=e.
message;return J(i)?X(i.fields[0].scalar,i.fields[0].longAsString):M(i)}return a}]}function Mi(e,t){if(e.extendee.typeName!=t.$typeName)throw new Error(`extensi\
on ${e.typeName} can only be applied to message ${e.extendee.typeName}`)}var Zn=Date.parse("0001-01-01T00:00:00Z"),vn=Date.parse("9999-12-31T23:59:59Z"),Gn=-315576e6,xn=315576e6;var Nd=3,Md=2,Yi={alwaysEmitImplicit:!1,enumAsInteger:!1,useProtoFieldName:!1};function Yd(e){return e?Object.assign(Object.assign({},Yi),e):Yi}function Wd(e,t,n){
return Vn(e)(Yd(n),t)}function Fi(e,t,n){var r;let s=Wd(e,t,n);return JSON.stringify(s,null,(r=n?.prettySpaces)!==null&&r!==void 0?r:0)}var vs=new WeakMap;function Vn(e){let t=vs.get(e);return t===void 0&&(t=Fd(e)),t}function Fd(e){let t=e.typeName,n=Ld(e);if(n!==void 0){let i=e.fields[0],c=(l,u)=>{
if(u.$typeName!==t&&i!==void 0)throw new N(i,`cannot use ${i} with message ${u.$typeName}`,"ForeignFieldError");return n(l,u)};return vs.set(e,c),c}let r=e.fields.
concat().sort((i,c)=>i.number-c.number),s=r[0],o=[],a=(i,c)=>{if(c.$typeName!==t&&s!==void 0)throw new N(s,`cannot use ${s} with message ${c.$typeName}`,"Foreig\
nFieldError");let l={};for(let u=0;u<o.length;u++)o[u](i,c,l);return i.registry&&wd(l,i,i.registry,c,e),l};vs.set(e,a);for(let i of r){let c=kd(i);o.push(i.jsonName===
"__proto__"||i.name==="__proto__"?Cd(c):c)}return a}function Cd(e){return(t,n,r)=>{let s=Object.create(null);e(t,n,s);for(let o of Object.keys(s))k(r,o,s[o])}}function Ld(e){
if(e.typeName.startsWith("google.protobuf."))switch(e.typeName){case"google.protobuf.Any":return(t,n)=>Ud(n,t);case"google.protobuf.Timestamp":return(t,n)=>Dd(n);case"\
google.protobuf.Duration":return(t,n)=>Jd(n);case"google.protobuf.FieldMask":return(t,n)=>$d(n);case"google.protobuf.Struct":return(t,n)=>Xi(n);case"google.prot\
obuf.Value":return(t,n)=>Vs(n);case"google.protobuf.ListValue":return(t,n)=>Ti(n);default:if(J(e)){let t=e.fields[0],n=t.localName,r=X(t.scalar,!1),s=In(t);return(o,a)=>{
let i=a[n];return s(o,i===void 0?r:i)}}return}}function kd(e){switch(e.fieldKind){case"scalar":case"enum":case"message":return Xd(e);case"list":case"map":{let t=e.
fieldKind=="list"?Li(e):ki(e),n=e.name,r=e.jsonName,s=e.localName;return(o,a,i)=>{let c=t(o,a[s]);c!==void 0&&(i[o.useProtoFieldName?n:r]=c)}}}}function Xd(e){let t=Ci(
e),n=e.name,r=e.jsonName,s=e.localName;if(e.oneof){let o=e.oneof.localName;return(a,i,c)=>{let l=i[o];l.case===s&&(c[a.useProtoFieldName?n:r]=t(a,l.value))}}if(e.
presence!=Md){let o=e.presence==Nd?`cannot encode ${e} to JSON: required field not set`:void 0;return(a,i,c)=>{let l=i[s];if(l!==void 0&&Object.prototype.hasOwnProperty.
call(i,s))c[a.useProtoFieldName?n:r]=t(a,l);else if(o!==void 0)throw new Error(o)}}if(e.fieldKind=="enum"){let o=e.enum.values[0].number;return(a,i,c)=>{let l=i[s];
(l!==o||a.alwaysEmitImplicit)&&(c[a.useProtoFieldName?n:r]=t(a,l))}}switch(e.scalar){case d.BOOL:return(o,a,i)=>{let c=a[s];(c!==!1||o.alwaysEmitImplicit)&&(i[o.
useProtoFieldName?n:r]=t(o,c))};case d.STRING:return(o,a,i)=>{let c=a[s];(c!==""||o.alwaysEmitImplicit)&&(i[o.useProtoFieldName?n:r]=t(o,c))};case d.BYTES:return(o,a,i)=>{
let c=a[s];(!(c instanceof Uint8Array)||c.byteLength>0||o.alwaysEmitImplicit)&&(i[o.useProtoFieldName?n:r]=t(o,c))};case d.DOUBLE:case d.FLOAT:return(o,a,i)=>{let c=a[s];
(!Object.is(c,0)||o.alwaysEmitImplicit)&&(i[o.useProtoFieldName?n:r]=t(o,c))};default:return(o,a,i)=>{let c=a[s];(c!=0||o.alwaysEmitImplicit)&&(i[o.useProtoFieldName?
n:r]=t(o,c))}}}function Td(e){switch(e.fieldKind){case"scalar":case"enum":case"message":return Ci(e);case"list":return Li(e);case"map":return ki(e)}}function Ci(e){
switch(e.fieldKind){case"scalar":return In(e);case"enum":return xs(e);case"message":return Gs(e)}}function Gs(e){let{toMessage:t}=_(e),n=Vn(e.message);return(r,s)=>n(
r,t(s))}function Li(e){let t=Bd(e);return(n,r)=>{let s=r;if(s.length==0&&!n.alwaysEmitImplicit)return;let o=[];for(let a=0;a<s.length;a++)o.push(t(n,s[a]));return o}}
function Bd(e){switch(e.listKind){case"scalar":return In(e);case"enum":return xs(e);case"message":return Gs(e)}}function ki(e){let t=_d(e);return(n,r)=>{let s=r,
o=Object.keys(s);if(o.length==0&&!n.alwaysEmitImplicit)return;let a={};for(let i=0;i<o.length;i++){let c=o[i];k(a,c,t(n,s[c]))}return a}}function _d(e){switch(e.
mapKind){case"scalar":return In(e);case"enum":return xs(e);case"message":return Gs(e)}}function xs(e){let t=e.enum;return t.typeName=="google.protobuf.NullValue"?
(n,r)=>{if(typeof r!="number")throw Wi(t,r);return null}:(n,r)=>{var s,o;if(typeof r!="number")throw Wi(t,r);return n.enumAsInteger?r:(o=(s=t.value[r])===null||
s===void 0?void 0:s.jsonName)!==null&&o!==void 0?o:r}}function Wi(e,t){return new Error(`cannot encode ${e} to JSON: expected number, got ${F(t)}`)}function In(e){
switch(e.scalar){case d.INT32:case d.SFIXED32:case d.SINT32:case d.FIXED32:case d.UINT32:return(t,n)=>{if(typeof n!="number")throw et(e,n);return n};case d.FLOAT:case d.
DOUBLE:return(t,n)=>{if(typeof n!="number")throw et(e,n);return Number.isNaN(n)?"NaN":n===Number.POSITIVE_INFINITY?"Infinity":n===Number.NEGATIVE_INFINITY?"-Inf\
inity":n};case d.STRING:return(t,n)=>{if(typeof n!="string")throw et(e,n);return n};case d.BOOL:return(t,n)=>{if(typeof n!="boolean")throw et(e,n);return n};case d.
UINT64:case d.FIXED64:case d.INT64:case d.SFIXED64:case d.SINT64:return(t,n)=>{if(typeof n=="bigint"||typeof n=="string"||typeof n=="number"&&Number.isInteger(n))
return n.toString();throw et(e,n)};case d.BYTES:return(t,n)=>{if(n instanceof Uint8Array)return ms(n);throw et(e,n)}}}function et(e,t){var n;return new Error(`c\
annot encode ${e} to JSON: ${(n=ln(e,t))===null||n===void 0?void 0:n.message}`)}function wd(e,t,n,r,s){let o=r.$unknown;if(o===void 0)return;let a=new Set;for(let i=0;i<
o.length;i++){let{no:c}=o[i];if(!a.has(c)){a.add(c);let l=n.getExtensionFor(s,c);if(!l)continue;let u=Ii(r,l),[p,f]=qe(l,u),g=p[L],h=Td(f)(t,g[f.localName]);h!==
void 0&&(e[l.jsonName]=h)}}}function Ud(e,t){if(e.typeUrl==="")return{};let{registry:n}=t,r,s;if(n&&(r=vi(e,n),r&&(s=n.getMessage(r.$typeName))),!s||!r)throw new Error(
`cannot encode message ${e.$typeName} to JSON: "${e.typeUrl}" is not in the type registry`);let o=an(s)?{value:Vn(s)(t,r)}:Vn(s)(t,r);return o["@type"]=e.typeUrl,
o}function Jd(e){let t=Number(e.seconds),n=e.nanos;if(t>xn||t<Gn)throw new Error(`cannot encode message ${e.$typeName} to JSON: value out of range`);if(t>0&&n<0||
t<0&&n>0)throw new Error(`cannot encode message ${e.$typeName} to JSON: nanos sign must match seconds sign`);let r=e.seconds.toString();if(n!==0){let s=Math.abs(
n).toString();s="0".repeat(9-s.length)+s,s.substring(3)==="000000"?s=s.substring(0,3):s.substring(6)==="000"&&(s=s.substring(0,6)),r+="."+s,n<0&&t==0&&(r="-"+r)}
return r+"s"}function $d(e){return e.paths.map(t=>{if(fn(ge(t))!==t)throw new Error(`cannot encode message ${e.$typeName} to JSON: lowerCamelCase of path name "${t}\
" is irreversible`);return ge(t)}).join(",")}function Xi(e){let t={},n=Object.keys(e.fields);for(let r=0;r<n.length;r++){let s=n[r];k(t,s,Vs(e.fields[s]))}return t}
function Vs(e){switch(e.kind.case){case"nullValue":return null;case"numberValue":if(!Number.isFinite(e.kind.value))throw new Error(`${e.$typeName} cannot be NaN\
 or Infinity`);return e.kind.value;case"boolValue":return e.kind.value;case"stringValue":return e.kind.value;case"structValue":return Xi(e.kind.value);case"list\
Value":return Ti(e.kind.value);default:throw new Error(`${e.$typeName} must have a value`)}}function Ti(e){return e.values.map(Vs)}function Dd(e){let t=Number(e.
seconds)*1e3;if(t<Zn||t>vn)throw new Error(`cannot encode message ${e.$typeName} to JSON: must be from 0001-01-01T00:00:00Z to 9999-12-31T23:59:59Z inclusive`);
if(e.nanos<0)throw new Error(`cannot encode message ${e.$typeName} to JSON: nanos must not be negative`);if(e.nanos>999999999)throw new Error(`cannot encode mes\
sage ${e.$typeName} to JSON: nanos must not be greater than 999999999`);let n="Z";if(e.nanos>0){let r=(e.nanos+1e9).toString().substring(1);r.substring(3)==="00\
0000"?n="."+r.substring(0,3)+"Z":r.substring(6)==="000"?n="."+r.substring(0,6)+"Z":n="."+r+"Z"}return new Date(t).toISOString().replace(".000Z",n)}var Kd=2;function Od(e){return Object.assign(Object.assign({ignoreUnknownFields:!1,recursionLimit:100},e),{depth:0})}function _i(e,t,n){return Pd(e,om(t,e.typeName),
n)}function Pd(e,t,n){let r=M(e);return Qd(e,r,t,n),r}function Qd(e,t,n,r){try{tt(e)(t,n,Od(r))}catch(s){throw ga(s)?new Error(`cannot decode ${s.field()} from JSON: ${s.message}`,{cause:s}):s}}var Is=new WeakMap;function tt(e){let t=Is.get(e);return t===void 0&&(t=zd(e)),t}function zd(e){let t=String(e),n=Hd(e);if(n!==void 0){let a=(i,c,l)=>{if(++l.depth>
l.recursionLimit)throw new Error(`cannot decode ${t} from JSON: maximum recursion depth of ${l.recursionLimit} reached`);n(i,c,l),l.depth--};return Is.set(e,a),
a}let r=e.typeName,s=new Map,o=(a,i,c)=>{var l;if(++c.depth>c.recursionLimit)throw new Error(`cannot decode ${t} from JSON: maximum recursion depth of ${c.recursionLimit}\
 reached`);if(i==null||Array.isArray(i)||typeof i!="object")throw new Error(`cannot decode ${t} from JSON: ${F(i)}`);let u=new Map,p=new Set,f=Object.keys(i);for(let g=0;g<
f.length;g++){let h=f[g],R=i[h],E=s.get(h);if(E!==void 0){let x=E.field;if(p.has(x))throw new N(x,"set multiple times");if(p.add(x),E.oneofScalarNullSkip&&R===null)
continue;if(E.oneof){let A=u.get(E.oneof);if(A!==void 0)throw new N(E.oneof,`oneof set multiple times by ${A.name} and ${x.name}`);u.set(E.oneof,x)}E.read(a,R,c)}else{
let x=h.startsWith("[")&&h.endsWith("]")?(l=c.registry)===null||l===void 0?void 0:l.getExtension(h.substring(1,h.length-1)):void 0;if(x?.extendee.typeName==r){let[
A,T,w]=qe(x);Bi(T)(A[L],R,c),Ni(a,x,w())}if(x===void 0&&!c.ignoreUnknownFields)throw new Error(`cannot decode ${t} from JSON: key "${h}" is unknown`)}}c.depth--};
Is.set(e,o);for(let a of e.fields){let i={read:Bi(a),field:a,oneof:a.oneof,oneofScalarNullSkip:a.oneof!==void 0&&a.fieldKind=="scalar"};s.set(a.name,i).set(a.jsonName,
i)}return o}function Hd(e){if(e.typeName.startsWith("google.protobuf."))switch(e.typeName){case"google.protobuf.Any":return(t,n,r)=>im(t,n,r);case"google.protob\
uf.Timestamp":return(t,n)=>cm(t,n);case"google.protobuf.Duration":return(t,n)=>lm(t,n);case"google.protobuf.FieldMask":return(t,n)=>um(t,n);case"google.protobuf\
.Struct":return(t,n,r)=>$i(t,n,r);case"google.protobuf.Value":return(t,n,r)=>Fs(t,n,r);case"google.protobuf.ListValue":return(t,n,r)=>Di(t,n,r);default:if(J(e)){
let t=e.fields[0],n=t.localName,r=t.scalar,s=t.longAsString,o=Ui(t);return(a,i)=>{i===null?a[n]=X(r,s):a[n]=o(i)}}return}}function Bi(e){switch(e.fieldKind){case"\
scalar":return jd(e);case"enum":return qd(e);case"message":return em(e);case"list":return tm(e);case"map":return rm(e)}}function jd(e){let t=Ui(e),n=e.localName;
if(e.oneof){let s=e.oneof.localName;return(o,a)=>{o[s]={case:n,value:t(a)}}}let r=wi(e);return(s,o)=>{o===null?r(s):s[n]=t(o)}}function wi(e){let t=e.localName;
if(e.presence!=Kd)return s=>{delete s[t]};if(e.fieldKind=="enum"){let s=e.enum.values[0].number;return o=>{o[t]=s}}let n=e.scalar,r=e.longAsString;return s=>{s[t]=
X(n,r)}}function qd(e){let t=Ns(e.enum),n=Ms(e.enum),r=e.localName,s=e.enum.typeName!="google.protobuf.NullValue";if(e.oneof){let a=e.oneof.localName;return(i,c,l)=>{
if(c===null&&s){i[a].case===r&&(i[a]={case:void 0});return}let u=t(c,l.ignoreUnknownFields);if(u===nt)return;let p=n(u);if(p!==!0)throw new N(e,Q(e,u,p));i[a]={
case:r,value:u}}}let o=wi(e);return(a,i,c)=>{if(i===null&&s){o(a);return}let l=t(i,c.ignoreUnknownFields);if(l===nt)return;let u=n(l);if(u!==!0)throw new N(e,Q(
e,l,u));a[r]=l}}function em(e){let t=e.localName,{toMessage:n,toLocal:r}=_(e),s=tt(e.message),o=e.message.typeName!="google.protobuf.Value";if(e.oneof){let a=e.
oneof.localName;return(i,c,l)=>{let u=i[a];if(c===null&&o){u.case===t&&(i[a]={case:void 0});return}let p=n(u.case===t?u.value:void 0);s(p,c,l),i[a]={case:t,value:r(
p)}}}return(a,i,c)=>{if(i===null&&o){delete a[t];return}let l=n(a[t]);s(l,i,c),a[t]=r(l)}}function tm(e){let t=e.localName,n=nm(e);return(r,s,o)=>{if(s===null)return;
if(!Array.isArray(s))throw new N(e,"expected Array, got "+F(s));let a=r[t];for(let i=0;i<s.length;i++){let c=n(s[i],o,a.length);c!==nt&&a.push(c)}}}function nm(e){
switch(e.listKind){case"scalar":{let t=Ys(e),n=pe(e.scalar),r=Ws(e);return(s,o,a)=>{if(s===null)throw new N(e,"list item must not be null");let i=t(s),c=n(i);if(c!==
!0)throw new N(e,`list item #${a+1}: ${Q(e,i,c)}`);return r(i)}}case"enum":{let t=Ns(e.enum),n=Ms(e.enum),r=e.enum.typeName!="google.protobuf.NullValue";return(s,o,a)=>{
if(s===null&&r)throw new N(e,"list item must not be null");let i=t(s,o.ignoreUnknownFields);if(i===nt)return i;let c=n(i);if(c!==!0)throw new N(e,`list item #${a+
1}: ${Q(e,i,c)}`);return i}}case"message":{let{toMessage:t,toLocal:n}=_(e),r=tt(e.message),s=e.message.typeName!="google.protobuf.Value";return(o,a)=>{if(o===null&&
s)throw new N(e,"list item must not be null");let i=t(void 0);return r(i,o,a),n(i)}}}}function rm(e){let t=e.localName,n=e.mapKey,r=sm(n),s=pe(n),o,a,i=l=>l,c=!0;
switch(e.mapKind){case"scalar":{o=Ys(e),a=pe(e.scalar),i=Ws(e);break}case"enum":{let l=Ns(e.enum);o=(u,p)=>l(u,p.ignoreUnknownFields),a=Ms(e.enum),c=e.enum.typeName!=
"google.protobuf.NullValue";break}case"message":{let{toMessage:l,toLocal:u}=_(e),p=tt(e.message);c=e.message.typeName!="google.protobuf.Value",o=(f,g)=>{let h=l(
void 0);return p(h,f,g),u(h)};break}}return(l,u,p)=>{if(u===null)return;if(typeof u!="object"||Array.isArray(u))throw new N(e,"expected object, got "+F(u));let f=l[t],
g=new Set,h=Object.keys(u);for(let R=0;R<h.length;R++){let E=h[R],x=u[E],A=r(E);if(g.has(A))throw new N(e,`duplicate map key "${E}"`);if(g.add(A),x===null&&c)throw new N(
e,"map value must not be null");let T=o(x,p);if(T===nt)continue;let w=s(A);if(w!==!0)throw new N(e,`invalid map key: ${Q({scalar:n},A,w)}`);if(a!==void 0){let Se=a(
T);if(Se!==!0)throw new N(e,`map entry ${F(A)}: ${Q(e,T,Se)}`)}k(f,A,i(T))}}}var nt=Symbol();function Ns(e){let t=e.values[0].number,n=new Map;for(let r of e.values)
n.set(r.jsonName,r.number);for(let r of e.values)n.set(r.name,r.number);return(r,s)=>{if(r===null)return t;switch(typeof r){case"number":if(Number.isInteger(r))
return r;break;case"string":{let o=n.get(r);if(o!==void 0)return o;if(s)return nt;break}}throw new Error(`cannot decode ${e} from JSON: ${F(r)}`)}}function Ms(e){
if(e.open)return pe(d.INT32);let t=e.values;return n=>t.some(r=>r.number===n)}function Ui(e){let t=Ys(e),n=pe(e.scalar),r=Ws(e);return s=>{let o=t(s),a=n(o);if(a!==
!0)throw new N(e,Q(e,o,a));return r(o)}}function Ys(e){switch(e.scalar){case d.DOUBLE:case d.FLOAT:return t=>{if(t==="NaN")return NaN;if(t==="Infinity")return Number.
POSITIVE_INFINITY;if(t==="-Infinity")return Number.NEGATIVE_INFINITY;if(typeof t=="number"){if(Number.isNaN(t))throw new N(e,"unexpected NaN number");if(!Number.
isFinite(t))throw new N(e,"unexpected infinite number");return t}if(typeof t=="string"){if(t===""||t.trim().length!==t.length)return t;let n=Number(t);return Number.
isFinite(n)?n:t}return t};case d.INT32:case d.FIXED32:case d.SFIXED32:case d.SINT32:case d.UINT32:return Ji;case d.BYTES:return t=>{if(typeof t=="string"){if(t===
"")return new Uint8Array(0);try{return ze(t)}catch(n){let r=n instanceof Error?n.message:String(n);throw new N(e,r)}}return t};default:return t=>t}}function Ws(e){
let t=e.fieldKind!=="map"&&e.longAsString;switch(e.scalar){case d.INT64:case d.SFIXED64:case d.SINT64:return t?n=>String(n):n=>typeof n=="string"||typeof n=="nu\
mber"?I.parse(n):n;case d.FIXED64:case d.UINT64:return t?n=>String(n):n=>typeof n=="string"||typeof n=="number"?I.uParse(n):n;default:return n=>n}}function sm(e){
switch(e){case d.BOOL:return t=>{switch(t){case"true":return!0;case"false":return!1}return t};case d.INT32:case d.FIXED32:case d.UINT32:case d.SFIXED32:case d.SINT32:
return Ji;case d.INT64:case d.SINT64:case d.SFIXED64:case d.UINT64:case d.FIXED64:return t=>/^-?0+$/.test(t)?"0":t.replace(/^(-?)0+(?=\d)/,"$1");default:return t=>t}}
function Ji(e){if(typeof e=="string"){if(e===""||e.trim().length!==e.length)return e;let t=Number(e);return Number.isNaN(t)?e:t}return e}function om(e,t){let n;
try{n=JSON.parse(e)}catch(r){let s=r instanceof Error?r.message:String(r);throw new Error(`cannot decode message ${t} from JSON: ${s}`,{cause:r})}return am(e,t),
n}function am(e,t){let n=[],r=!1,s=0;for(;s<e.length;)switch(e[s]){case"{":n.push(new Set),r=!0,s++;break;case"[":n.push(null),r=!1,s++;break;case"}":case"]":n.
pop(),r=!1,s++;break;case",":r=n[n.length-1]!=null,s++;break;case":":r=!1,s++;break;case'"':{let o=s++,a=!1;for(;s<e.length;){if(e[s]=="\\"){a=!0,s+=2;continue}
if(e[s]=='"')break;s++}let i=s++,c=n[n.length-1];if(r&&c){let l=a?JSON.parse(e.substring(o,i+1)):e.substring(o+1,i);if(c.has(l))throw new Error(`cannot decode m\
essage ${t} from JSON: duplicate object key "${l}"`);c.add(l)}r=!1;break}default:s++;break}}function im(e,t,n){var r;if(t===null||Array.isArray(t)||typeof t!="o\
bject")throw new Error(`cannot decode message ${e.$typeName} from JSON: expected object but got ${F(t)}`);if(Object.keys(t).length==0)return;let s=t["@type"];if(typeof s!=
"string"||s=="")throw new Error(`cannot decode message ${e.$typeName} from JSON: "@type" is empty`);let o=s.includes("/")?s.substring(s.lastIndexOf("/")+1):s;if(!o.
length)throw new Error(`cannot decode message ${e.$typeName} from JSON: "@type" is invalid`);let a=(r=n.registry)===null||r===void 0?void 0:r.getMessage(o);if(!a)
throw new Error(`cannot decode message ${e.$typeName} from JSON: ${s} is not in the type registry`);let i=M(a);if(an(a)&&Object.prototype.hasOwnProperty.call(t,
"value"))tt(a)(i,t.value,n);else{let c={};for(let l of Object.keys(t))l!=="@type"&&k(c,l,t[l]);tt(a)(i,c,n)}Zi(a,i,e)}function cm(e,t){if(typeof t!="string")throw new Error(
`cannot decode message ${e.$typeName} from JSON: ${F(t)}`);let n=t.match(/^([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]{1,9}))?(?:Z|([+-][0-9][0-9]:[0-9][0-9]))$/);
if(!n)throw new Error(`cannot decode message ${e.$typeName} from JSON: invalid RFC 3339 string`);let r=Date.parse(n[1]+"-"+n[2]+"-"+n[3]+"T"+n[4]+":"+n[5]+":"+n[6]+
(n[8]?n[8]:"Z"));if(Number.isNaN(r))throw new Error(`cannot decode message ${e.$typeName} from JSON: invalid RFC 3339 string`);if(r<Zn||r>vn)throw new Error(`ca\
nnot decode message ${e.$typeName} from JSON: must be from 0001-01-01T00:00:00Z to 9999-12-31T23:59:59Z inclusive`);e.seconds=I.parse(r/1e3),e.nanos=0,n[7]&&(e.
nanos=parseInt("1"+n[7]+"0".repeat(9-n[7].length))-1e9)}function lm(e,t){if(typeof t!="string")throw new Error(`cannot decode message ${e.$typeName} from JSON: ${F(
t)}`);let n=t.match(/^(-?[0-9]+)(?:\.([0-9]+))?s/);if(n===null)throw new Error(`cannot decode message ${e.$typeName} from JSON: ${F(t)}`);let r=Number(n[1]);if(r>
xn||r<Gn)throw new Error(`cannot decode message ${e.$typeName} from JSON: ${F(t)}`);if(e.seconds=I.parse(r),typeof n[2]!="string")return;let s=n[2]+"0".repeat(9-
n[2].length);e.nanos=parseInt(s),(r<0||Object.is(r,-0))&&(e.nanos=-e.nanos)}function um(e,t){if(typeof t!="string")throw new Error(`cannot decode message ${e.$typeName}\
 from JSON: ${F(t)}`);t!==""&&(e.paths=t.split(",").map(n=>{if(n.includes("_"))throw new Error(`cannot decode message ${e.$typeName} from JSON: path names must \
be lowerCamelCase`);return fn(n)}))}function $i(e,t,n){if(typeof t!="object"||t==null||Array.isArray(t))throw new Error(`cannot decode message ${e.$typeName} fr\
om JSON ${F(t)}`);let r=Object.keys(t);for(let s=0;s<r.length;s++){let o=r[s],a=M(Zs);Fs(a,t[o],n),k(e.fields,o,a)}}function Fs(e,t,n){if(++n.depth>n.recursionLimit)
throw new Error(`cannot decode ${e.$typeName} from JSON: maximum recursion depth of ${n.recursionLimit} reached`);switch(typeof t){case"number":e.kind={case:"nu\
mberValue",value:t};break;case"string":e.kind={case:"stringValue",value:t};break;case"boolean":e.kind={case:"boolValue",value:t};break;case"object":if(t===null)
e.kind={case:"nullValue",value:An.NULL_VALUE};else if(Array.isArray(t)){let r=M(Vi);Di(r,t,n),e.kind={case:"listValue",value:r}}else{let r=M(xi);$i(r,t,n),e.kind=
{case:"structValue",value:r}}break;default:throw new Error(`cannot decode message ${e.$typeName} from JSON ${F(t)}`)}return n.depth--,e}function Di(e,t,n){if(!Array.
isArray(t))throw new Error(`cannot decode message ${e.$typeName} from JSON ${F(t)}`);for(let r=0;r<t.length;r++){let s=M(Zs);Fs(s,t[r],n),e.values.push(s)}}function Cs(e){let t=Z[e];return typeof t!="string"?e.toString():t[0].toLowerCase()+t.substring(1).replace(/[A-Z]/g,n=>"_"+n.toLowerCase())}var V=class e extends Error{constructor(t,n=Z.Unknown,r,s,o){super(dm(t,n)),this.name="ConnectError",this.isWireError=!1,Object.setPrototypeOf(this,new.target.prototype),
this.rawMessage=t,this.code=n,this.metadata=new Headers(r??{}),this.details=s??[],this.cause=o}static from(t,n=Z.Unknown){return t instanceof e?t:t instanceof Error?
t.name=="AbortError"||t.name=="TimeoutError"?new e(t.message,Z.Canceled):new e(t.message,n,void 0,void 0,t):new e(String(t),n,void 0,void 0,t)}static[Symbol.hasInstance](t){
return t instanceof Error?Object.getPrototypeOf(t)===e.prototype?!0:t.name==="ConnectError"&&"code"in t&&typeof t.code=="number"&&"metadata"in t&&"details"in t&&
Array.isArray(t.details)&&"rawMessage"in t&&typeof t.rawMessage=="string"&&"cause"in t:!1}findDetails(t){let n=t.kind==="message"?{getMessage:s=>s===t.typeName?
t:void 0}:t,r=[];for(let s of this.details){if("desc"in s){n.getMessage(s.desc.typeName)&&r.push(M(s.desc,s.value));continue}let o=n.getMessage(s.type);if(o)try{
r.push($(o,s.value))}catch{}}return r}};function dm(e,t){return e.length?`[${Cs(t)}] ${e}`:`[${Cs(t)}]`}function Ki(e,t,n){try{let r=ze(e);return t?$(t,r,n):r}catch(r){throw V.from(r,Z.DataLoss)}}function Oi(e,t){let n={};for(let r of e.methods){let s=t(r);s!=null&&(n[r.localName]=s)}return n}var Nn=1;function Pi(e,t,n=!1){if(t>e){let r=`message size is larger than configured readMaxBytes ${e}`;throw n&&(r=`message size ${t} is larger than configured readMaxB\
ytes ${e}`),new V(r,Z.ResourceExhausted)}}function mm(e){return new Ls(e)}var Ls=class{constructor(t){this.readMaxBytes=t,this.header=new Uint8Array(5),this.headerView=new DataView(this.header.buffer),this.
buf=[]}get byteLength(){return this.buf.reduce((t,n)=>t+n.byteLength,0)}decode(t){this.buf.push(t);let n=[];for(;;){let r=this.pop();if(!r)break;n.push(r)}return n}pop(){
if(!(!this.env&&(this.env=this.head(),!this.env))&&this.cons(this.env.data)){let t=this.env;return this.env=void 0,t}}head(){if(!this.cons(this.header))return;let t=this.
headerView.getUint8(0),n=this.headerView.getUint32(1);return Pi(this.readMaxBytes,n,!0),{flags:t,data:new Uint8Array(n)}}cons(t){let n=t.byteLength;if(this.byteLength<
n)return!1;let r=0;for(;r<n;){let s=this.buf.shift();s.byteLength>n-r?(t.set(s.subarray(0,n-r),r),this.buf.unshift(s.subarray(n-r)),r+=n-r):(t.set(s,r),r+=s.byteLength)}
return!0}};function Mn(e){let t,n=mm(4294967295);return new ReadableStream({start(){t=e.getReader()},async pull(r){let s=!1;for(;!s;){let o=await t.read();if(o.
done)n.byteLength>0&&r.error(new V("protocol error: incomplete envelope",Z.InvalidArgument)),r.close();else for(let a of n.decode(o.value))r.enqueue(a),s=!0}}})}function Yn(e,t){let n=new Uint8Array(t.length+5);n.set(t,5);let r=new DataView(n.buffer,n.byteOffset,n.byteLength);return r.setUint8(0,e),r.setUint32(1,t.length),
n}var pm=function(e){if(!Symbol.asyncIterator)throw new TypeError("Symbol.asyncIterator is not defined.");var t=e[Symbol.asyncIterator],n;return t?t.call(e):(e=typeof __values==
"function"?__values(e):e[Symbol.iterator](),n={},r("next"),r("throw"),r("return"),n[Symbol.asyncIterator]=function(){return this},n);function r(o){n[o]=e[o]&&function(a){
return new Promise(function(i,c){a=e[o](a),s(i,c,a.done,a.value)})}}function s(o,a,i,c){Promise.resolve(c).then(function(l){o({value:l,done:i})},a)}},Wt=function(e){
return this instanceof Wt?(this.v=e,this):new Wt(e)},gm=function(e,t,n){if(!Symbol.asyncIterator)throw new TypeError("Symbol.asyncIterator is not defined.");var r=n.
apply(e,t||[]),s,o=[];return s=Object.create((typeof AsyncIterator=="function"?AsyncIterator:Object).prototype),i("next"),i("throw"),i("return",a),s[Symbol.asyncIterator]=
function(){return this},s;function a(g){return function(h){return Promise.resolve(h).then(g,p)}}function i(g,h){r[g]&&(s[g]=function(R){return new Promise(function(E,x){
o.push([g,R,E,x])>1||c(g,R)})},h&&(s[g]=h(s[g])))}function c(g,h){try{l(r[g](h))}catch(R){f(o[0][3],R)}}function l(g){g.value instanceof Wt?Promise.resolve(g.value.
v).then(u,p):f(o[0][2],g)}function u(g){c("next",g)}function p(g){c("throw",g)}function f(g,h){g(h),o.shift(),o.length&&c(o[0][0],o[0][1])}},fm=function(e){var t,
n;return t={},r("next"),r("throw",function(s){throw s}),r("return"),t[Symbol.iterator]=function(){return this},t;function r(s,o){t[s]=e[s]?function(a){return(n=
!n)?{value:Wt(e[s](a)),done:!1}:o?o(a):a}:o}};function Qi(e){return gm(this,arguments,function*(){yield Wt(yield*fm(pm(e)))})}var zi=function(e){if(!Symbol.asyncIterator)throw new TypeError("Symbol.asyncIterator is not defined.");var t=e[Symbol.asyncIterator],n;return t?t.call(e):(e=typeof __values==
"function"?__values(e):e[Symbol.iterator](),n={},r("next"),r("throw"),r("return"),n[Symbol.asyncIterator]=function(){return this},n);function r(o){n[o]=e[o]&&function(a){
return new Promise(function(i,c){a=e[o](a),s(i,c,a.done,a.value)})}}function s(o,a,i,c){Promise.resolve(c).then(function(l){o({value:l,done:i})},a)}},rt=function(e){
return this instanceof rt?(this.v=e,this):new rt(e)},hm=function(e){var t,n;return t={},r("next"),r("throw",function(s){throw s}),r("return"),t[Symbol.iterator]=
function(){return this},t;function r(s,o){t[s]=e[s]?function(a){return(n=!n)?{value:rt(e[s](a)),done:!1}:o?o(a):a}:o}},bm=function(e,t,n){if(!Symbol.asyncIterator)
throw new TypeError("Symbol.asyncIterator is not defined.");var r=n.apply(e,t||[]),s,o=[];return s=Object.create((typeof AsyncIterator=="function"?AsyncIterator:
Object).prototype),i("next"),i("throw"),i("return",a),s[Symbol.asyncIterator]=function(){return this},s;function a(g){return function(h){return Promise.resolve(
h).then(g,p)}}function i(g,h){r[g]&&(s[g]=function(R){return new Promise(function(E,x){o.push([g,R,E,x])>1||c(g,R)})},h&&(s[g]=h(s[g])))}function c(g,h){try{l(r[g](
h))}catch(R){f(o[0][3],R)}}function l(g){g.value instanceof rt?Promise.resolve(g.value.v).then(u,p):f(o[0][2],g)}function u(g){c("next",g)}function p(g){c("thro\
w",g)}function f(g,h){g(h),o.shift(),o.length&&c(o[0][0],o[0][1])}};function Wn(e,t){return Oi(e,n=>{switch(n.methodKind){case"unary":return ym(t,n);case"server\
_streaming":return Em(t,n);case"client_streaming":return Rm(t,n);case"bidi_streaming":return Sm(t,n);default:return null}})}function ym(e,t){return async(n,r)=>{
var s,o;let a=await e.unary(t,r?.signal,r?.timeoutMs,r?.headers,n,r?.contextValues);return(s=r?.onHeader)===null||s===void 0||s.call(r,a.header),(o=r?.onTrailer)===
null||o===void 0||o.call(r,a.trailer),a.message}}function Em(e,t){return(n,r)=>Hi(e.stream(t,r?.signal,r?.timeoutMs,r?.headers,Qi([n]),r?.contextValues),r)}function Rm(e,t){
return async(n,r)=>{var s,o,a,i,c,l;let u=await e.stream(t,r?.signal,r?.timeoutMs,r?.headers,n,r?.contextValues);(c=r?.onHeader)===null||c===void 0||c.call(r,u.
header);let p,f=0;try{for(var g=!0,h=zi(u.message),R;R=await h.next(),s=R.done,!s;g=!0)i=R.value,g=!1,p=i,f++}catch(E){o={error:E}}finally{try{!g&&!s&&(a=h.return)&&
await a.call(h)}finally{if(o)throw o.error}}if(!p)throw new V("protocol error: missing response message",Z.Unimplemented);if(f>1)throw new V("protocol error: re\
ceived extra messages for client streaming method",Z.Unimplemented);return(l=r?.onTrailer)===null||l===void 0||l.call(r,u.trailer),p}}function Sm(e,t){return(n,r)=>Hi(
e.stream(t,r?.signal,r?.timeoutMs,r?.headers,n,r?.contextValues),r)}function Hi(e,t){let n=(function(){return bm(this,arguments,function*(){var r,s;let o=yield rt(
e);(r=t?.onHeader)===null||r===void 0||r.call(t,o.header),yield rt(yield*hm(zi(o.message))),(s=t?.onTrailer)===null||s===void 0||s.call(t,o.trailer)})})()[Symbol.
asyncIterator]();return{[Symbol.asyncIterator]:()=>({next:()=>n.next()})}}function ji(...e){let t=new AbortController,n=e.filter(s=>s!==void 0).concat(t.signal);for(let s of n){if(s.aborted){r.apply(s);break}s.addEventListener("abort",
r)}function r(){t.signal.aborted||t.abort(Fn(this));for(let s of n)s.removeEventListener("abort",r)}return t}function qi(e){let t=new AbortController,n=()=>{t.abort(
new V("the operation timed out",Z.DeadlineExceeded))},r;return e!==void 0&&(e<=0?n():r=setTimeout(n,e)),{signal:t.signal,cleanup:()=>clearTimeout(r)}}function Fn(e){
if(!e.aborted)return;if(e.reason!==void 0)return e.reason;let t=new Error("This operation was aborted");return t.name="AbortError",t}function Cn(){return{get(e){return e.id in this?this[e.id]:e.defaultValue},set(e,t){return this[e.id]=t,this},delete(e){return delete this[e.id],this}}}function Ln(e){let t=new Headers,n=new TextDecoder().decode(e).split(`\r
`);for(let r of n){if(r==="")continue;let s=r.indexOf(":");if(s>0){let o=r.substring(0,s).trim(),a=r.substring(s+1).trim();t.append(o,a)}}return t}var ks="Content-Type";var Xs="Grpc-Timeout",te="Grpc-Status",Ft="Grpc-Message";var Ts="Grpc-Status-Details-Bin";var kn="User-Agent";var Bs="X-User-Agent",tc="X-Grpc-Web";var nc="application/grpc-web+proto",rc="application/grpc-web+json";function Ct(e,t,...n){if(n.length>0)throw new Error;return e.services[t]}var Zm=y("CgxzdGF0dXMucHJvdG8SCmdvb2dsZS5ycGMiTgoGU3RhdHVzEgwKBGNvZGUYASABKAUSDwoHbWVzc2FnZRgCIAEoCRIlCgdkZXRhaWxzGAMgAygLMhQuZ29vZ2xlLnByb3RvYnVmLkFueUJeCg5jb2\
0uZ29vZ2xlLnJwY0ILU3RhdHVzUHJvdG9QAVo3Z29vZ2xlLmdvbGFuZy5vcmcvZ2VucHJvdG8vZ29vZ2xlYXBpcy9ycGMvc3RhdHVzO3N0YXR1c6ICA1JQQ2IGcHJvdG8z",[Rs]),sc=G(Zm,0);var oc="0";function Xn(e){var t;let n=e.get(Ts);if(n!=null){let s=Ki(n,sc);if(s.code==0)return;let o=new V(s.message,s.code,e);return o.details=s.details.map(a=>({type:a.typeUrl.
substring(a.typeUrl.lastIndexOf("/")+1),value:a.value})),o.isWireError=!0,o}let r=e.get(te);if(r!=null){if(r===oc)return;let s=parseInt(r,10),o;return s in Z?o=
new V(decodeURIComponent((t=e.get(Ft))!==null&&t!==void 0?t:""),s,e):o=new V(`invalid grpc-status: ${r}`,Z.Internal,e),o.isWireError=!0,o}}function Tn(e,t){return e.toString().replace(/\/?$/,`/${t.parent.typeName}/${t.name}`)}function _s(e,t){return M(e,t)}function ac(e,t){function n(r){return r.done===!0?r:{done:r.done,value:_s(e,r.value)}}return{[Symbol.asyncIterator](){let r=t[Symbol.
asyncIterator](),s={next:()=>r.next().then(n)};return r.throw!==void 0&&(s.throw=o=>r.throw(o).then(n)),r.return!==void 0&&(s.return=o=>r.return(o).then(n)),s}}}function ws(e,t){if(!t)return e;for(let n of t.concat().reverse())e=n(e);return e}function lc(e){var t;let n=Object.assign({},e);return(t=n.ignoreUnknownFields)!==null&&t!==void 0||(n.ignoreUnknownFields=!0),n}function Bn(e,t,n,r){let s=t?ic(e.input,r):cc(e.input,n);return{parse:(t?ic(e.output,r):cc(e.output,n)).parse,serialize:s.serialize}}function ic(e,t){return{parse(n){try{return $(e,n,t)}catch(r){let s=r instanceof Error?r.message:String(r);throw new V(`parse binary: ${s}`,Z.Internal)}},serialize(n){
try{return je(e,n,t)}catch(r){let s=r instanceof Error?r.message:String(r);throw new V(`serialize binary: ${s}`,Z.Internal)}}}}function cc(e,t){var n,r;let s=(n=
t?.textEncoder)!==null&&n!==void 0?n:new TextEncoder,o=(r=t?.textDecoder)!==null&&r!==void 0?r:new TextDecoder,a=lc(t);return{parse(i){try{let c=o.decode(i);return _i(
e,c,a)}catch(c){throw V.from(c,Z.InvalidArgument)}},serialize(i){try{let c=Fi(e,i,a);return s.encode(c)}catch(c){throw V.from(c,Z.Internal)}}}}function Us(e){let t=ws(e.next,e.interceptors),[n,r,s]=uc(e),o=Object.assign(Object.assign({},e.req),{message:_s(e.req.method.input,e.req.message),signal:n});return t(
o).then(a=>(s(),a),r)}function Js(e){let t=ws(e.next,e.interceptors),[n,r,s]=uc(e),o=Object.assign(Object.assign({},e.req),{message:ac(e.req.method.input,e.req.
message),signal:n}),a=!1;return n.addEventListener("abort",function(){var i,c;let l=e.req.message[Symbol.asyncIterator]();a||(i=l.throw)===null||i===void 0||i.call(
l,this.reason).catch(()=>{}),(c=l.return)===null||c===void 0||c.call(l).catch(()=>{})}),t(o).then(i=>Object.assign(Object.assign({},i),{message:{[Symbol.asyncIterator](){
let c=i.message[Symbol.asyncIterator]();return{next(){return!a&&n.aborted?r(Fn(n)):c.next().then(l=>(l.done==!0&&(a=!0,s()),l),r)}}}}}),r)}function uc(e){let{signal:t,
cleanup:n}=qi(e.timeoutMs),r=ji(e.signal,t);return[r.signal,function(o){let a=r.signal.aborted?V.from(Fn(r.signal),Z.Canceled):V.from(o);return r.abort(a),n(),Promise.
reject(a)},function(){n(),r.abort()}]}function dc(){try{new Headers}catch{throw new Error("connect-web requires the fetch API. Are you running on an old version of Node.js? Node.js is not supported \
in Connect for Web - please stay tuned for Connect for Node.")}}function Lt(e,t){let n=Xn(e);if(n)throw t.forEach((r,s)=>{n.metadata.append(s,r)}),n;if(!t.has(te)&&!e.has(te))throw new V("protocol error: missing status",Z.Internal)}function _n(e,t,n,r){var s,o;let a=new Headers(n??{});a.set(ks,e?nc:rc),a.set(tc,"1");let i=(o=(s=a.get(kn))!==null&&s!==void 0?s:a.get(Bs))!==null&&o!==void 0?
o:"connect-es/2.2.0";return a.set(Bs,i),r&&a.set(kn,i),t!==void 0&&a.set(Xs,`${t}m`),a}function mc(e){switch(e){case 400:return Z.Internal;case 401:return Z.Unauthenticated;case 403:return Z.PermissionDenied;case 404:return Z.Unimplemented;case 429:
return Z.Unavailable;case 502:return Z.Unavailable;case 503:return Z.Unavailable;case 504:return Z.Unavailable;default:return Z.Unknown}}function wn(e,t){var n;if(e>=200&&e<300)return{foundStatus:t.has(te),headerError:Xn(t)};throw new V(decodeURIComponent((n=t.get(Ft))!==null&&n!==void 0?n:`HTTP ${e}`),
mc(e),t)}var Le=function(e){return this instanceof Le?(this.v=e,this):new Le(e)},vm=function(e,t,n){if(!Symbol.asyncIterator)throw new TypeError("Symbol.asyncIterator is\
 not defined.");var r=n.apply(e,t||[]),s,o=[];return s=Object.create((typeof AsyncIterator=="function"?AsyncIterator:Object).prototype),i("next"),i("throw"),i("\
return",a),s[Symbol.asyncIterator]=function(){return this},s;function a(g){return function(h){return Promise.resolve(h).then(g,p)}}function i(g,h){r[g]&&(s[g]=function(R){
return new Promise(function(E,x){o.push([g,R,E,x])>1||c(g,R)})},h&&(s[g]=h(s[g])))}function c(g,h){try{l(r[g](h))}catch(R){f(o[0][3],R)}}function l(g){g.value instanceof
Le?Promise.resolve(g.value.v).then(u,p):f(o[0][2],g)}function u(g){c("next",g)}function p(g){c("throw",g)}function f(g,h){g(h),o.shift(),o.length&&c(o[0][0],o[0][1])}},
pc={redirect:"error"};function $s(e){var t;dc();let n=(t=e.useBinaryFormat)!==null&&t!==void 0?t:!0;return{async unary(r,s,o,a,i,c){let{serialize:l,parse:u}=Bn(
r,n,e.jsonOptions,e.binaryOptions);return o=o===void 0?e.defaultTimeoutMs:o<=0?void 0:o,await Us({interceptors:e.interceptors,signal:s,timeoutMs:o,req:{stream:!1,
service:r.parent,method:r,requestMethod:"POST",url:Tn(e.baseUrl,r),header:_n(n,o,a,!1),contextValues:c??Cn(),message:i},next:async p=>{var f;let h=await((f=e.fetch)!==
null&&f!==void 0?f:globalThis.fetch)(p.url,Object.assign(Object.assign({},pc),{method:p.requestMethod,headers:p.header,signal:p.signal,body:Yn(0,l(p.message))})),
{headerError:R}=wn(h.status,h.headers);if(!h.body)throw R!==void 0?R:"missing response body";let E=Mn(h.body).getReader(),x,A;for(;;){let T=await E.read();if(T.
done)break;let{flags:w,data:Se}=T.value;if((w&Nn)===Nn)throw new V("protocol error: received unsupported compressed output",Z.Internal);if(w===128){if(x!==void 0)
throw"extra trailer";x=Ln(Se);continue}if(A!==void 0)throw new V("extra message",Z.Unimplemented);A=u(Se)}if(x===void 0)throw R!==void 0?R:new V("missing traile\
r",h.headers.has(te)?Z.Unimplemented:Z.Unknown);if(Lt(x,h.headers),A===void 0)throw new V("missing message",x.has(te)?Z.Unimplemented:Z.Unknown);return{stream:!1,
service:r.parent,method:r,header:h.headers,message:A,trailer:x}}})},async stream(r,s,o,a,i,c){let{serialize:l,parse:u}=Bn(r,n,e.jsonOptions,e.binaryOptions);function p(g,h,R,E,x){
return vm(this,arguments,function*(){let T=Mn(g).getReader();if(h){if(!(yield Le(T.read())).done)throw"extra data for trailers-only";return yield Le(void 0)}let w=!1;
for(;;){let Se=yield Le(T.read());if(Se.done)break;let{flags:jl,data:Go}=Se.value;if((jl&128)===128){if(w)throw"extra trailer";w=!0;let xo=Ln(Go);Lt(xo,E),xo.forEach(
(ql,eu)=>R.set(eu,ql));continue}if(w)throw"extra message";yield yield Le(u(Go))}if("throwIfAborted"in x&&x.throwIfAborted(),!w)throw"missing trailer"})}async function f(g){
if(r.methodKind!="server_streaming")throw"The fetch API does not support streaming request bodies";let h=await g[Symbol.asyncIterator]().next();if(h.done==!0)throw"\
missing request message";return Yn(0,l(h.value))}return o=o===void 0?e.defaultTimeoutMs:o<=0?void 0:o,Js({interceptors:e.interceptors,signal:s,timeoutMs:o,req:{
stream:!0,service:r.parent,method:r,requestMethod:"POST",url:Tn(e.baseUrl,r),header:_n(n,o,a,!1),contextValues:c??Cn(),message:i},next:async g=>{var h;let E=await((h=
e.fetch)!==null&&h!==void 0?h:globalThis.fetch)(g.url,Object.assign(Object.assign({},pc),{method:g.requestMethod,headers:g.header,signal:g.signal,body:await f(g.
message)})),{foundStatus:x,headerError:A}=wn(E.status,E.headers);if(A!=null)throw A;if(!E.body)throw"missing response body";let T=new Headers;return Object.assign(
Object.assign({},g),{header:E.headers,trailer:T,message:p(E.body,x,T,E.headers,g.signal)})}})}}}var gc=y("CiNicmlkZ2VtYXN0ZXIvdjEvbG9iYnlfc2VydmljZS5wcm90bxIPYnJpZGdlbWFzdGVyLnYxInIKDUF0dGVuZFJlcXVlc3QSEAoIcXVldWVfaWQYASABKAkSEAoIYm90X25hbWUYAiABKAkSEwoLYm\
90X3ZlcnNpb24YAyABKAkSDQoFc2xvdHMYBCABKA0SGQoRcHJvdG9jb2xfcmV2aXNpb24YBSABKA0iswEKDkF0dGVuZFJlc3BvbnNlEjEKCmF0dGVuZGFuY2UYASABKAsyGy5icmlkZ2VtYXN0ZXIudjEuQXR0ZW\
5kYW5jZUgAEicKBW9mZmVyGAIgASgLMhYuYnJpZGdlbWFzdGVyLnYxLk9mZmVySAASOgoPb2ZmZXJfd2l0aGRyYXduGAMgASgLMh8uYnJpZGdlbWFzdGVyLnYxLk9mZmVyV2l0aGRyYXduSABCCQoHbWVzc2FnZS\
LPAQoKQXR0ZW5kYW5jZRIVCg1hdHRlbmRhbmNlX2lkGAEgASgJEhAKCHF1ZXVlX2lkGAIgASgJEhAKCGJvdF9uYW1lGAMgASgJEhMKC2JvdF92ZXJzaW9uGAQgASgJEg0KBW93bmVyGAUgASgJEg0KBXNsb3RzGA\
YgASgNEhIKCnNsb3RzX3VzZWQYByABKA0SLwoFc3RhdGUYCCABKA4yIC5icmlkZ2VtYXN0ZXIudjEuQXR0ZW5kYW5jZVN0YXRlEg4KBmRldGFpbBgJIAEoCSLIAQoFT2ZmZXISEAoIb2ZmZXJfaWQYASABKAkSEA\
oIbWF0Y2hfaWQYAiABKAkSDAoEc2VhdBgDIAEoDRIOCgZ0aWNrZXQYBCABKAkSDwoHZ2FtZV9pZBgFIAEoCRIVCg1ydWxlc192ZXJzaW9uGAYgASgNEg8KB2FkZHJlc3MYByABKAkSFAoMdGltZV9sZWZ0X21zGA\
ggASgNEi4KB3B1cnBvc2UYCSABKA4yHS5icmlkZ2VtYXN0ZXIudjEuT2ZmZXJQdXJwb3NlIjIKDk9mZmVyV2l0aGRyYXduEhAKCG9mZmVyX2lkGAEgASgJEg4KBmRldGFpbBgCIAEoCSJuChdVcGRhdGVBdHRlbm\
RhbmNlUmVxdWVzdBIVCg1hdHRlbmRhbmNlX2lkGAEgASgJEhIKBXNsb3RzGAIgASgNSACIAQESEwoGcGF1c2VkGAMgASgISAGIAQFCCAoGX3Nsb3RzQgkKB19wYXVzZWQiSwoYVXBkYXRlQXR0ZW5kYW5jZVJlc3\
BvbnNlEi8KCmF0dGVuZGFuY2UYASABKAsyGy5icmlkZ2VtYXN0ZXIudjEuQXR0ZW5kYW5jZSIqChFMZWF2ZVF1ZXVlUmVxdWVzdBIVCg1hdHRlbmRhbmNlX2lkGAEgASgJIhQKEkxlYXZlUXVldWVSZXNwb25zZS\
I3ChNEZWNsaW5lT2ZmZXJSZXF1ZXN0EhAKCG9mZmVyX2lkGAEgASgJEg4KBnJlYXNvbhgCIAEoCSIWChREZWNsaW5lT2ZmZXJSZXNwb25zZSI7ChJDcmVhdGVRdWV1ZVJlcXVlc3QSJQoFcXVldWUYASABKAsyFi\
5icmlkZ2VtYXN0ZXIudjEuUXVldWUiPAoTQ3JlYXRlUXVldWVSZXNwb25zZRIlCgVxdWV1ZRgBIAEoCzIWLmJyaWRnZW1hc3Rlci52MS5RdWV1ZSKTAQoFUXVldWUSEAoIcXVldWVfaWQYASABKAkSDwoHZ2FtZV\
9pZBgCIAEoCRIaCg1ydWxlc192ZXJzaW9uGAMgASgNSACIAQESEQoJa2V5X25hbWVzGAQgAygJEhMKC2F0dGVuZGFuY2VzGAUgASgNEhEKCWlzX2xhZGRlchgGIAEoCEIQCg5fcnVsZXNfdmVyc2lvbiImChJEZW\
xldGVRdWV1ZVJlcXVlc3QSEAoIcXVldWVfaWQYASABKAkiFQoTRGVsZXRlUXVldWVSZXNwb25zZSI6ChFMaXN0UXVldWVzUmVxdWVzdBIRCglwYWdlX3NpemUYASABKA0SEgoKcGFnZV90b2tlbhgCIAEoCSJVCh\
JMaXN0UXVldWVzUmVzcG9uc2USJgoGcXVldWVzGAEgAygLMhYuYnJpZGdlbWFzdGVyLnYxLlF1ZXVlEhcKD25leHRfcGFnZV90b2tlbhgCIAEoCSIlChFXYXRjaFF1ZXVlUmVxdWVzdBIQCghxdWV1ZV9pZBgBIA\
EoCSJUChJXYXRjaFF1ZXVlUmVzcG9uc2USLwoKYXR0ZW5kYW5jZRgBIAEoCzIbLmJyaWRnZW1hc3Rlci52MS5BdHRlbmRhbmNlEg0KBWVuZGVkGAIgASgIKucBCg9BdHRlbmRhbmNlU3RhdGUSIAocQVRURU5EQU\
5DRV9TVEFURV9VTlNQRUNJRklFRBAAEhsKF0FUVEVOREFOQ0VfU1RBVEVfQUNUSVZFEAESGwoXQVRURU5EQU5DRV9TVEFURV9QQVVTRUQQAhIfChtBVFRFTkRBTkNFX1NUQVRFX1ZBTElEQVRJTkcQAxIcChhBVF\
RFTkRBTkNFX1NUQVRFX0JFTkNIRUQQBBIcChhBVFRFTkRBTkNFX1NUQVRFX0xFQVZJTkcQBRIbChdBVFRFTkRBTkNFX1NUQVRFX0FCU0VOVBAGKpwBCgxPZmZlclB1cnBvc2USHQoZT0ZGRVJfUFVSUE9TRV9VTl\
NQRUNJRklFRBAAEhkKFU9GRkVSX1BVUlBPU0VfQ09OVEVTVBABEhcKE09GRkVSX1BVUlBPU0VfUkFURUQQAhIcChhPRkZFUl9QVVJQT1NFX1ZBTElEQVRJT04QAxIbChdPRkZFUl9QVVJQT1NFX1JFUVVFU1RFRB\
AEMtwFCgxMb2JieVNlcnZpY2USSwoGQXR0ZW5kEh4uYnJpZGdlbWFzdGVyLnYxLkF0dGVuZFJlcXVlc3QaHy5icmlkZ2VtYXN0ZXIudjEuQXR0ZW5kUmVzcG9uc2UwARJnChBVcGRhdGVBdHRlbmRhbmNlEiguYn\
JpZGdlbWFzdGVyLnYxLlVwZGF0ZUF0dGVuZGFuY2VSZXF1ZXN0GikuYnJpZGdlbWFzdGVyLnYxLlVwZGF0ZUF0dGVuZGFuY2VSZXNwb25zZRJVCgpMZWF2ZVF1ZXVlEiIuYnJpZGdlbWFzdGVyLnYxLkxlYXZlUX\
VldWVSZXF1ZXN0GiMuYnJpZGdlbWFzdGVyLnYxLkxlYXZlUXVldWVSZXNwb25zZRJbCgxEZWNsaW5lT2ZmZXISJC5icmlkZ2VtYXN0ZXIudjEuRGVjbGluZU9mZmVyUmVxdWVzdBolLmJyaWRnZW1hc3Rlci52MS\
5EZWNsaW5lT2ZmZXJSZXNwb25zZRJYCgtDcmVhdGVRdWV1ZRIjLmJyaWRnZW1hc3Rlci52MS5DcmVhdGVRdWV1ZVJlcXVlc3QaJC5icmlkZ2VtYXN0ZXIudjEuQ3JlYXRlUXVldWVSZXNwb25zZRJYCgtEZWxldG\
VRdWV1ZRIjLmJyaWRnZW1hc3Rlci52MS5EZWxldGVRdWV1ZVJlcXVlc3QaJC5icmlkZ2VtYXN0ZXIudjEuRGVsZXRlUXVldWVSZXNwb25zZRJVCgpMaXN0UXVldWVzEiIuYnJpZGdlbWFzdGVyLnYxLkxpc3RRdW\
V1ZXNSZXF1ZXN0GiMuYnJpZGdlbWFzdGVyLnYxLkxpc3RRdWV1ZXNSZXNwb25zZRJXCgpXYXRjaFF1ZXVlEiIuYnJpZGdlbWFzdGVyLnYxLldhdGNoUXVldWVSZXF1ZXN0GiMuYnJpZGdlbWFzdGVyLnYxLldhdG\
NoUXVldWVSZXNwb25zZTABYgZwcm90bzM");var Ds=(i=>(i[i.UNSPECIFIED=0]="UNSPECIFIED",i[i.ACTIVE=1]="ACTIVE",i[i.PAUSED=2]="PAUSED",i[i.VALIDATING=3]="VALIDATING",i[i.BENCHED=4]="BENCHED",i[i.LEAVING=5]=
"LEAVING",i[i.ABSENT=6]="ABSENT",i))(Ds||{});var st=y("ChticmlkZ2VtYXN0ZXIvdjEvY2xvY2sucHJvdG8SD2JyaWRnZW1hc3Rlci52MSLGAgoKQ2xvY2tSdWxlcxIUCgdiYW5rX21zGAEgASgNSACIAQESGQoMaW5jcmVtZW50X21zGAIgASgNSAGIAQESEw\
oGY2FwX21zGAMgASgNSAKIAQESFwoKc3RhcnR1cF9tcxgEIAEoDUgDiAEBEhkKDHJlY29ubmVjdF9tcxgFIAEoDUgEiAEBEiEKFHJvdW5kX3RyaXBfY3JlZGl0X21zGAYgASgNSAWIAQESIQoUcmVmZXJlZV9sYW\
dfbGltaXRfbXMYByABKA1IBogBAUIKCghfYmFua19tc0IPCg1faW5jcmVtZW50X21zQgkKB19jYXBfbXNCDQoLX3N0YXJ0dXBfbXNCDwoNX3JlY29ubmVjdF9tc0IXChVfcm91bmRfdHJpcF9jcmVkaXRfbXNCFw\
oVX3JlZmVyZWVfbGFnX2xpbWl0X21zImUKBUNsb2NrEhQKDGJhbmtfbGVmdF9tcxgBIAEoDRIYChBkZWNpc2lvbl9sZWZ0X21zGAIgASgNEiwKC2xhc3RfY2hhcmdlGAMgASgLMhcuYnJpZGdlbWFzdGVyLnYxLk\
NoYXJnZSJbCgZDaGFyZ2USEgoKZWxhcHNlZF91cxgBIAEoBBIRCgljcmVkaXRfdXMYAiABKAQSEgoKY2hhcmdlZF91cxgDIAEoBBIWCg5yZWZlcmVlX2xhZ191cxgEIAEoBCKlAQoIQ2xvY2tVc2USEAoIYW5zd2\
VyZWQYASABKA0SEgoKY2hhcmdlZF91cxgCIAEoBBISCgpsb25nZXN0X3VzGAMgASgEEhQKDGJhbmtfbGVmdF9tcxgEIAEoDRIRCgljcmVkaXRfdXMYBSABKAQSFgoOcmVmZXJlZV9sYWdfdXMYBiABKAQSHgoWbG\
9uZ2VzdF9yZWZlcmVlX2xhZ191cxgHIAEoBGIGcHJvdG8z");var ot=y("ChticmlkZ2VtYXN0ZXIvdjEvZmF1bHQucHJvdG8SD2JyaWRnZW1hc3Rlci52MSLnAgoLRmF1bHRQb2xpY3kSLQoHaWxsZWdhbBgBIAEoDjIcLmJyaWRnZW1hc3Rlci52MS5GYXVsdEFjdGlvbhIqCg\
RsYXRlGAIgASgOMhwuYnJpZGdlbWFzdGVyLnYxLkZhdWx0QWN0aW9uEjIKDGRpc2Nvbm5lY3RlZBgDIAEoDjIcLmJyaWRnZW1hc3Rlci52MS5GYXVsdEFjdGlvbhI1Cg9uZXZlcl9jb25uZWN0ZWQYBCABKA4yHC\
5icmlkZ2VtYXN0ZXIudjEuRmF1bHRBY3Rpb24SKwoFZmxvb2QYBSABKA4yHC5icmlkZ2VtYXN0ZXIudjEuRmF1bHRBY3Rpb24SLQoHZ2FyYmFnZRgGIAEoDjIcLmJyaWRnZW1hc3Rlci52MS5GYXVsdEFjdGlvbh\
IfChJzdHJpa2VzX3RvX2ZvcmZlaXQYByABKA1IAIgBAUIVChNfc3RyaWtlc190b19mb3JmZWl0IpYBCgVGYXVsdBIsCgZyZWFzb24YASABKA4yHC5icmlkZ2VtYXN0ZXIudjEuRmF1bHRSZWFzb24SLAoGYWN0aW\
9uGAIgASgOMhwuYnJpZGdlbWFzdGVyLnYxLkZhdWx0QWN0aW9uEhIKCnJlcXVlc3RfaWQYAyABKA0SDQoFYXRfbXMYBCABKAQSDgoGZGV0YWlsGAUgASgJKuoBCgtGYXVsdFJlYXNvbhIcChhGQVVMVF9SRUFTT0\
5fVU5TUEVDSUZJRUQQABIYChRGQVVMVF9SRUFTT05fSUxMRUdBTBABEhUKEUZBVUxUX1JFQVNPTl9MQVRFEAISHQoZRkFVTFRfUkVBU09OX0RJU0NPTk5FQ1RFRBADEiAKHEZBVUxUX1JFQVNPTl9ORVZFUl9DT0\
5ORUNURUQQBBIWChJGQVVMVF9SRUFTT05fRkxPT0QQBRIYChRGQVVMVF9SRUFTT05fR0FSQkFHRRAGEhkKFUZBVUxUX1JFQVNPTl9SRVNJR05FRBAHKpQBCgtGYXVsdEFjdGlvbhIcChhGQVVMVF9BQ1RJT05fVU\
5TUEVDSUZJRUQQABIXChNGQVVMVF9BQ1RJT05fUkVGVVNFEAESFwoTRkFVTFRfQUNUSU9OX1NUUklLRRACEhsKF0ZBVUxUX0FDVElPTl9TVUJTVElUVVRFEAMSGAoURkFVTFRfQUNUSU9OX0ZPUkZFSVQQBCpcCg\
tIb3VzZVBvbGljeRIcChhIT1VTRV9QT0xJQ1lfVU5TUEVDSUZJRUQQABIXChNIT1VTRV9QT0xJQ1lfUkFORE9NEAESFgoSSE9VU0VfUE9MSUNZX0ZJUlNUEAJiBnByb3RvMw");var Ks=(c=>(c[c.UNSPECIFIED=0]="UNSPECIFIED",c[c.ILLEGAL=1]="ILLEGAL",c[c.LATE=2]="LATE",c[c.DISCONNECTED=3]="DISCONNECTED",c[c.NEVER_CONNECTED=4]="NEVER_CONNEC\
TED",c[c.FLOOD=5]="FLOOD",c[c.GARBAGE=6]="GARBAGE",c[c.RESIGNED=7]="RESIGNED",c))(Ks||{});var Os=(o=>(o[o.UNSPECIFIED=0]="UNSPECIFIED",o[o.REFUSE=1]="REFUSE",o[o.STRIKE=2]="STRIKE",o[o.SUBSTITUTE=3]="SUBSTITUTE",o[o.FORFEIT=4]="FORFEIT",o))(Os||{});var oe=y("Ci9icmlkZ2VtYXN0ZXIvZ2FtZXMvYWxoYW1icmEvdjEvY29tcG9uZW50cy5wcm90bxIeYnJpZGdlbWFzdGVyLmdhbWVzLmFsaGFtYnJhLnYxIlYKCU1vbmV5Q2FyZBI6CghjdXJyZW5jeRgBIAEoDj\
IoLmJyaWRnZW1hc3Rlci5nYW1lcy5hbGhhbWJyYS52MS5DdXJyZW5jeRINCgV2YWx1ZRgCIAEoDSJECgVNb25leRIMCgRibHVlGAEgAygNEg0KBWdyZWVuGAIgAygNEg4KBm9yYW5nZRgDIAMoDRIOCgZ5ZWxsb3\
cYBCADKA0iVQoIQnVpbGRpbmcSOgoIY2F0ZWdvcnkYASABKA4yKC5icmlkZ2VtYXN0ZXIuZ2FtZXMuYWxoYW1icmEudjEuQ2F0ZWdvcnkSDQoFcHJpY2UYAiABKA0idQoJQnVpbGRpbmdzEhEKCXBhdmlsaW9ucx\
gBIAMoDRIRCglzZXJhZ2xpb3MYAiADKA0SDwoHYXJjYWRlcxgDIAMoDRIQCghjaGFtYmVycxgEIAMoDRIPCgdnYXJkZW5zGAUgAygNEg4KBnRvd2VycxgGIAMoDSJhCghQdXJjaGFzZRI2CgRzbG90GAEgASgOMi\
guYnJpZGdlbWFzdGVyLmdhbWVzLmFsaGFtYnJhLnYxLkN1cnJlbmN5Eg8KB3BheW1lbnQYAiADKA0SDAoEZ2l2ZRgDIAEoCCIpCgZQb2ludHMSCQoBYRgBIAMoDRIJCgFiGAIgAygNEgkKAWMYAyADKA0qdQoIQ3\
VycmVuY3kSGAoUQ1VSUkVOQ1lfVU5TUEVDSUZJRUQQABIRCg1DVVJSRU5DWV9CTFVFEAESEgoOQ1VSUkVOQ1lfR1JFRU4QAhITCg9DVVJSRU5DWV9PUkFOR0UQAxITCg9DVVJSRU5DWV9ZRUxMT1cQBCqoAQoIQ2\
F0ZWdvcnkSGAoUQ0FURUdPUllfVU5TUEVDSUZJRUQQABIVChFDQVRFR09SWV9QQVZJTElPThABEhUKEUNBVEVHT1JZX1NFUkFHTElPEAISFAoQQ0FURUdPUllfQVJDQURFUxADEhUKEUNBVEVHT1JZX0NIQU1CRV\
JTEAQSEwoPQ0FURUdPUllfR0FSREVOEAUSEgoOQ0FURUdPUllfVE9XRVIQBipPCgdTY29yaW5nEhcKE1NDT1JJTkdfVU5TUEVDSUZJRUQQABINCglTQ09SSU5HX0EQARINCglTQ09SSU5HX0IQAhINCglTQ09SSU\
5HX0MQA2IGcHJvdG8z");var Ps=(o=>(o[o.UNSPECIFIED=0]="UNSPECIFIED",o[o.BLUE=1]="BLUE",o[o.GREEN=2]="GREEN",o[o.ORANGE=3]="ORANGE",o[o.YELLOW=4]="YELLOW",o))(Ps||{});var Qs=(i=>(i[i.UNSPECIFIED=0]="UNSPECIFIED",i[i.PAVILION=1]="PAVILION",i[i.SERAGLIO=2]="SERAGLIO",i[i.ARCADES=3]="ARCADES",i[i.CHAMBERS=4]="CHAMBERS",i[i.GARDEN=
5]="GARDEN",i[i.TOWER=6]="TOWER",i))(Qs||{});var fc=y("CiticmlkZ2VtYXN0ZXIvZ2FtZXMvYWxoYW1icmEvdjEvY2hhbmNlLnByb3RvEh5icmlkZ2VtYXN0ZXIuZ2FtZXMuYWxoYW1icmEudjEiQwoHU2h1ZmZsZRI4CgVjYXJkcxgBIAMoCzIpLmJyaWRnZW\
1hc3Rlci5nYW1lcy5hbGhhbWJyYS52MS5Nb25leUNhcmRiBnByb3RvMw",[oe]);var hc=y("CiticmlkZ2VtYXN0ZXIvZ2FtZXMvYWxoYW1icmEvdjEvY29uZmlnLnByb3RvEh5icmlkZ2VtYXN0ZXIuZ2FtZXMuYWxoYW1icmEudjEimAEKBkNvbmZpZxJLChF3aXRob3V0X2J1aWxkaW5ncxgBIA\
EoDjIwLmJyaWRnZW1hc3Rlci5nYW1lcy5hbGhhbWJyYS52MS5XaXRob3V0QnVpbGRpbmdzEkEKDGR1bW15X3BsYWNlcxgCIAEoDjIrLmJyaWRnZW1hc3Rlci5nYW1lcy5hbGhhbWJyYS52MS5EdW1teVBsYWNlcy\
pyChBXaXRob3V0QnVpbGRpbmdzEiEKHVdJVEhPVVRfQlVJTERJTkdTX1VOU1BFQ0lGSUVEEAASHgoaV0lUSE9VVF9CVUlMRElOR1NfTk9fUExBQ0UQARIbChdXSVRIT1VUX0JVSUxESU5HU19QTEFDRRACKl4KC0\
R1bW15UGxhY2VzEhwKGERVTU1ZX1BMQUNFU19VTlNQRUNJRklFRBAAEhQKEERVTU1ZX1BMQUNFU19BTEwQARIbChdEVU1NWV9QTEFDRVNfRklSU1RfT05MWRACYgZwcm90bzM");var Jn=y("Ci1icmlkZ2VtYXN0ZXIvZ2FtZXMvYWxoYW1icmEvdjEvZGVjaXNpb24ucHJvdG8SHmJyaWRnZW1hc3Rlci5nYW1lcy5hbGhhbWJyYS52MSK7AQoIRGVjaXNpb24SNAoEdGFrZRgBIAEoCzIkLmJyaW\
RnZW1hc3Rlci5nYW1lcy5hbGhhbWJyYS52MS5UYWtlSAASNwoDYnV5GAIgASgLMiguYnJpZGdlbWFzdGVyLmdhbWVzLmFsaGFtYnJhLnYxLlB1cmNoYXNlSAASNAoEcGFzcxgDIAEoCzIkLmJyaWRnZW1hc3Rlci\
5nYW1lcy5hbGhhbWJyYS52MS5QYXNzSABCCgoIZGVjaXNpb24iQAoEVGFrZRI4CgVjYXJkcxgBIAMoCzIpLmJyaWRnZW1hc3Rlci5nYW1lcy5hbGhhbWJyYS52MS5Nb25leUNhcmQiBgoEUGFzc2IGcHJvdG8z",
[oe]);var $n=y("CipicmlkZ2VtYXN0ZXIvZ2FtZXMvYWxoYW1icmEvdjEvZXZlbnQucHJvdG8SHmJyaWRnZW1hc3Rlci5nYW1lcy5hbGhhbWJyYS52MSKtBgoFRXZlbnQSPwoKaGFuZF9kZWFsdBgBIAEoCzIpLmJyaW\
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
duZXIiBwoFRHVtbXliBnByb3RvMw",[oe]);var Dn=y("CjBicmlkZ2VtYXN0ZXIvZ2FtZXMvYWxoYW1icmEvdjEvb2JzZXJ2YXRpb24ucHJvdG8SHmJyaWRnZW1hc3Rlci5nYW1lcy5hbGhhbWJyYS52MSLwBgoLT2JzZXJ2YXRpb24SGAoLdmlld2VyX3NlYX\
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
oGcG9pbnRzGAIgASgLMiYuYnJpZGdlbWFzdGVyLmdhbWVzLmFsaGFtYnJhLnYxLlBvaW50cyIpCgpQbGFjZVJhbmdlEg0KBWZpcnN0GAEgASgNEgwKBGxhc3QYAiABKA1iBnByb3RvMw",[oe]);var bc=y("CixicmlkZ2VtYXN0ZXIvZ2FtZXMvYWxoYW1icmEvdjEvcmVxdWVzdC5wcm90bxIeYnJpZGdlbWFzdGVyLmdhbWVzLmFsaGFtYnJhLnYxIsUBCgdSZXF1ZXN0EkAKC29ic2VydmF0aW9uGAEgASgLMi\
suYnJpZGdlbWFzdGVyLmdhbWVzLmFsaGFtYnJhLnYxLk9ic2VydmF0aW9uEkEKD2xlZ2FsX2RlY2lzaW9ucxgCIAMoCzIoLmJyaWRnZW1hc3Rlci5nYW1lcy5hbGhhbWJyYS52MS5EZWNpc2lvbhI1CgZldmVudH\
MYAyADKAsyJS5icmlkZ2VtYXN0ZXIuZ2FtZXMuYWxoYW1icmEudjEuRXZlbnRiBnByb3RvMw",[Jn,$n,Dn]);var yc=y("CipicmlkZ2VtYXN0ZXIvZ2FtZXMvYWxoYW1icmEvdjEvc2V0dXAucHJvdG8SHmJyaWRnZW1hc3Rlci5nYW1lcy5hbGhhbWJyYS52MSKwAQoFU2V0dXASOwoJYnVpbGRpbmdzGAEgAygLMiguYnJpZG\
dlbWFzdGVyLmdhbWVzLmFsaGFtYnJhLnYxLkJ1aWxkaW5nEjgKBW1vbmV5GAIgAygLMikuYnJpZGdlbWFzdGVyLmdhbWVzLmFsaGFtYnJhLnYxLk1vbmV5Q2FyZBIXCg9zY29yaW5nX2FfcGxhY2UYAyABKA0SFw\
oPc2NvcmluZ19iX3BsYWNlGAQgASgNYgZwcm90bzM",[oe]);var ae=y("CjlicmlkZ2VtYXN0ZXIvZ2FtZXMvYnJpZGdlc190b19ub3doZXJlL3YxL2NvbXBvbmVudHMucHJvdG8SKGJyaWRnZW1hc3Rlci5nYW1lcy5icmlkZ2VzX3RvX25vd2hlcmUudjEi3QEKCkJyaWRnZU\
NhcmQSPgoFc3R5bGUYASABKA4yLy5icmlkZ2VtYXN0ZXIuZ2FtZXMuYnJpZGdlc190b19ub3doZXJlLnYxLlN0eWxlEg4KBm51bWJlchgCIAEoDRI+CgRsZWZ0GAMgASgOMjAuYnJpZGdlbWFzdGVyLmdhbWVzLm\
JyaWRnZXNfdG9fbm93aGVyZS52MS5TeW1ib2wSPwoFcmlnaHQYBCABKA4yMC5icmlkZ2VtYXN0ZXIuZ2FtZXMuYnJpZGdlc190b19ub3doZXJlLnYxLlN5bWJvbCIKCghNb251bWVudCIICgZQaWxsYXIiowEKBE\
NhcmQSSwoLYnJpZGdlX2NhcmQYASABKAsyNC5icmlkZ2VtYXN0ZXIuZ2FtZXMuYnJpZGdlc190b19ub3doZXJlLnYxLkJyaWRnZUNhcmRIABJGCghtb251bWVudBgCIAEoCzIyLmJyaWRnZW1hc3Rlci5nYW1lcy\
5icmlkZ2VzX3RvX25vd2hlcmUudjEuTW9udW1lbnRIAEIGCgRjYXJkIowCCglQbGFjZW1lbnQSSwoLYnJpZGdlX2NhcmQYASABKAsyNC5icmlkZ2VtYXN0ZXIuZ2FtZXMuYnJpZGdlc190b19ub3doZXJlLnYxLk\
JyaWRnZUNhcmRIABJGCghtb251bWVudBgCIAEoCzIyLmJyaWRnZW1hc3Rlci5nYW1lcy5icmlkZ2VzX3RvX25vd2hlcmUudjEuTW9udW1lbnRIABJCCgZwaWxsYXIYAyABKAsyMC5icmlkZ2VtYXN0ZXIuZ2FtZX\
MuYnJpZGdlc190b19ub3doZXJlLnYxLlBpbGxhckgAEg0KBWxldmVsGAQgASgNEg4KBmNvbHVtbhgFIAEoEUIHCgVwaWVjZSJhCglTZWF0U2NvcmUSDwoHbnVtYmVycxgBIAEoDRINCgV0b2xscxgCIAEoDRIRCg\
ltb251bWVudHMYAyABKA0SDwoHc3ltYm9scxgEIAEoDRIQCghjb250cmFjdBgFIAEoDSpWCgVTdHlsZRIVChFTVFlMRV9VTlNQRUNJRklFRBAAEhQKEFNUWUxFX1NVU1BFTlNJT04QARIPCgtTVFlMRV9UUlVTUx\
ACEg8KC1NUWUxFX0NBQkxFEAMqUwoGU3ltYm9sEhYKElNZTUJPTF9VTlNQRUNJRklFRBAAEg8KC1NZTUJPTF9GSVNIEAESDwoLU1lNQk9MX0JJUkQQAhIPCgtTWU1CT0xfQk9BVBADKsYBCghDb250cmFjdBIYCh\
RDT05UUkFDVF9VTlNQRUNJRklFRBAAEhMKD0NPTlRSQUNUX1RSSVBMRRABEhoKFkNPTlRSQUNUX1NQSUNFX09GX0xJRkUQAhIZChVDT05UUkFDVF9MT05HRVNUX01JTEUQAxIgChxDT05UUkFDVF9TUEFOTklOR1\
9USEVfRElWSURFEAQSHQoZQ09OVFJBQ1RfVFJJQUxfT0ZfVEhFX1NFQRAFEhMKD0NPTlRSQUNUX0RPVUJMRRAGYgZwcm90bzM");var Kn=(s=>(s[s.UNSPECIFIED=0]="UNSPECIFIED",s[s.SUSPENSION=1]="SUSPENSION",s[s.TRUSS=2]="TRUSS",s[s.CABLE=3]="CABLE",s))(Kn||{});var On=(s=>(s[s.UNSPECIFIED=0]="UNSPECIFIED",s[s.FISH=1]="FISH",s[s.BIRD=2]="BIRD",s[s.BOAT=3]="BOAT",s))(On||{});var Ec=y("CjVicmlkZ2VtYXN0ZXIvZ2FtZXMvYnJpZGdlc190b19ub3doZXJlL3YxL2NvbmZpZy5wcm90bxIoYnJpZGdlbWFzdGVyLmdhbWVzLmJyaWRnZXNfdG9fbm93aGVyZS52MSLEAQoGQ29uZmlnEhYKCW\
NvbnRyYWN0cxgBIAEoCEgAiAEBEh0KEGNvbnRyYWN0c190b193aW4YAiABKA1IAYgBARISCgVnYW1lcxgDIAEoDUgCiAEBEkIKB2VkaXRpb24YBCABKAsyMS5icmlkZ2VtYXN0ZXIuZ2FtZXMuYnJpZGdlc190b1\
9ub3doZXJlLnYxLkVkaXRpb25CDAoKX2NvbnRyYWN0c0ITChFfY29udHJhY3RzX3RvX3dpbkIICgZfZ2FtZXMiXAoHRWRpdGlvbhIMCgRuYW1lGAEgASgJEkMKBWNhcmRzGAIgAygLMjQuYnJpZGdlbWFzdGVyLm\
dhbWVzLmJyaWRnZXNfdG9fbm93aGVyZS52MS5CcmlkZ2VDYXJkYgZwcm90bzM",[ae]);var Pn=y("CjdicmlkZ2VtYXN0ZXIvZ2FtZXMvYnJpZGdlc190b19ub3doZXJlL3YxL2RlY2lzaW9uLnByb3RvEihicmlkZ2VtYXN0ZXIuZ2FtZXMuYnJpZGdlc190b19ub3doZXJlLnYxIuIBCghEZWNpc2lvbh\
I+CgR0YWtlGAEgASgLMi4uYnJpZGdlbWFzdGVyLmdhbWVzLmJyaWRnZXNfdG9fbm93aGVyZS52MS5DYXJkSAASRAoFcGxhY2UYAiABKAsyMy5icmlkZ2VtYXN0ZXIuZ2FtZXMuYnJpZGdlc190b19ub3doZXJlLn\
YxLlBsYWNlbWVudEgAEkQKA2VuZBgDIAEoCzI1LmJyaWRnZW1hc3Rlci5nYW1lcy5icmlkZ2VzX3RvX25vd2hlcmUudjEuRW5kQnVpbGRpbmdIAEIKCghkZWNpc2lvbiINCgtFbmRCdWlsZGluZ2IGcHJvdG8z",
[ae]);var Qn=y("CjRicmlkZ2VtYXN0ZXIvZ2FtZXMvYnJpZGdlc190b19ub3doZXJlL3YxL2V2ZW50LnByb3RvEihicmlkZ2VtYXN0ZXIuZ2FtZXMuYnJpZGdlc190b19ub3doZXJlLnYxIrIFCgVFdmVudBJNCgxnYW\
1lX3N0YXJ0ZWQYASABKAsyNS5icmlkZ2VtYXN0ZXIuZ2FtZXMuYnJpZGdlc190b19ub3doZXJlLnYxLkdhbWVTdGFydGVkSAASTwoNcm91bmRfc3RhcnRlZBgCIAEoCzI2LmJyaWRnZW1hc3Rlci5nYW1lcy5icm\
lkZ2VzX3RvX25vd2hlcmUudjEuUm91bmRTdGFydGVkSAASQAoFdGFrZW4YAyABKAsyLy5icmlkZ2VtYXN0ZXIuZ2FtZXMuYnJpZGdlc190b19ub3doZXJlLnYxLlRha2VuSAASSwoLZHJhZnRfZW5kZWQYBCABKA\
syNC5icmlkZ2VtYXN0ZXIuZ2FtZXMuYnJpZGdlc190b19ub3doZXJlLnYxLkRyYWZ0RW5kZWRIABJCCgZwbGFjZWQYBSABKAsyMC5icmlkZ2VtYXN0ZXIuZ2FtZXMuYnJpZGdlc190b19ub3doZXJlLnYxLlBsYW\
NlZEgAElEKDmJ1aWxkaW5nX2VuZGVkGAYgASgLMjcuYnJpZGdlbWFzdGVyLmdhbWVzLmJyaWRnZXNfdG9fbm93aGVyZS52MS5CdWlsZGluZ0VuZGVkSAASQgoGc2NvcmVkGAcgASgLMjAuYnJpZGdlbWFzdGVyLm\
dhbWVzLmJyaWRnZXNfdG9fbm93aGVyZS52MS5TY29yZWRIABJJCgpnYW1lX2VuZGVkGAggASgLMjMuYnJpZGdlbWFzdGVyLmdhbWVzLmJyaWRnZXNfdG9fbm93aGVyZS52MS5HYW1lRW5kZWRIABJLCgttYXRjaF\
9lbmRlZBgJIAEoCzI0LmJyaWRnZW1hc3Rlci5nYW1lcy5icmlkZ2VzX3RvX25vd2hlcmUudjEuTWF0Y2hFbmRlZEgAQgcKBWV2ZW50ImEKC0dhbWVTdGFydGVkEgwKBGdhbWUYASABKA0SRAoIY29udHJhY3QYAi\
ABKA4yMi5icmlkZ2VtYXN0ZXIuZ2FtZXMuYnJpZGdlc190b19ub3doZXJlLnYxLkNvbnRyYWN0InoKDFJvdW5kU3RhcnRlZBINCgVyb3VuZBgBIAEoDRIVCg1maXJzdF9kcmFmdGVyGAIgASgNEkQKBm9wZW5lZB\
gDIAMoCzI0LmJyaWRnZW1hc3Rlci5nYW1lcy5icmlkZ2VzX3RvX25vd2hlcmUudjEuQnJpZGdlQ2FyZCJTCgVUYWtlbhIMCgRzZWF0GAEgASgNEjwKBGNhcmQYAiABKAsyLi5icmlkZ2VtYXN0ZXIuZ2FtZXMuYn\
JpZGdlc190b19ub3doZXJlLnYxLkNhcmQiVQoKRHJhZnRFbmRlZBJHCglkaXNjYXJkZWQYASADKAsyNC5icmlkZ2VtYXN0ZXIuZ2FtZXMuYnJpZGdlc190b19ub3doZXJlLnYxLkJyaWRnZUNhcmQiXgoGUGxhY2\
VkEgwKBHNlYXQYASABKA0SRgoJcGxhY2VtZW50GAIgASgLMjMuYnJpZGdlbWFzdGVyLmdhbWVzLmJyaWRnZXNfdG9fbm93aGVyZS52MS5QbGFjZW1lbnQiYAoNQnVpbGRpbmdFbmRlZBIMCgRzZWF0GAEgASgNEk\
EKCWRpc2NhcmRlZBgCIAMoCzIuLmJyaWRnZW1hc3Rlci5nYW1lcy5icmlkZ2VzX3RvX25vd2hlcmUudjEuQ2FyZCJaCgZTY29yZWQSDAoEc2VhdBgBIAEoDRJCCgVzY29yZRgCIAEoCzIzLmJyaWRnZW1hc3Rlci\
5nYW1lcy5icmlkZ2VzX3RvX25vd2hlcmUudjEuU2VhdFNjb3JlIjkKCUdhbWVFbmRlZBIMCgRnYW1lGAEgASgNEhMKBndpbm5lchgCIAEoDUgAiAEBQgkKB193aW5uZXIiDAoKTWF0Y2hFbmRlZGIGcHJvdG8z",
[ae]);var zn=y("CjpicmlkZ2VtYXN0ZXIvZ2FtZXMvYnJpZGdlc190b19ub3doZXJlL3YxL29ic2VydmF0aW9uLnByb3RvEihicmlkZ2VtYXN0ZXIuZ2FtZXMuYnJpZGdlc190b19ub3doZXJlLnYxIrQFCgtPYnNlcn\
ZhdGlvbhIYCgt2aWV3ZXJfc2VhdBgBIAEoDUgBiAEBEkUKB3Jlc3VsdHMYAiADKAsyNC5icmlkZ2VtYXN0ZXIuZ2FtZXMuYnJpZGdlc190b19ub3doZXJlLnYxLkdhbWVSZXN1bHQSDAoEZ2FtZRgDIAEoDRJECg\
hjb250cmFjdBgEIAEoDjIyLmJyaWRnZW1hc3Rlci5nYW1lcy5icmlkZ2VzX3RvX25vd2hlcmUudjEuQ29udHJhY3QSDQoFcm91bmQYBSABKA0SFQoNZmlyc3RfZHJhZnRlchgGIAEoDRJFCgVkcmFmdBgHIAEoCz\
I0LmJyaWRnZW1hc3Rlci5nYW1lcy5icmlkZ2VzX3RvX25vd2hlcmUudjEuRHJhZnRQaGFzZUgAEkUKBWJ1aWxkGAggASgLMjQuYnJpZGdlbWFzdGVyLmdhbWVzLmJyaWRnZXNfdG9fbm93aGVyZS52MS5CdWlsZF\
BoYXNlSAASQwoEb3ZlchgJIAEoCzIzLmJyaWRnZW1hc3Rlci5nYW1lcy5icmlkZ2VzX3RvX25vd2hlcmUudjEuT3ZlclBoYXNlSAASQgoEb3BlbhgKIAMoCzI0LmJyaWRnZW1hc3Rlci5nYW1lcy5icmlkZ2VzX3\
RvX25vd2hlcmUudjEuQnJpZGdlQ2FyZBIRCgltb251bWVudHMYCyABKA0SRAoGdW5zZWVuGAwgAygLMjQuYnJpZGdlbWFzdGVyLmdhbWVzLmJyaWRnZXNfdG9fbm93aGVyZS52MS5CcmlkZ2VDYXJkEkEKBXNlYX\
RzGA0gAygLMjIuYnJpZGdlbWFzdGVyLmdhbWVzLmJyaWRnZXNfdG9fbm93aGVyZS52MS5TZWF0Vmlld0IHCgVwaGFzZUIOCgxfdmlld2VyX3NlYXQiGgoKRHJhZnRQaGFzZRIMCgRzZWF0GAEgASgNIgwKCkJ1aW\
xkUGhhc2UiCwoJT3ZlclBoYXNlIsUBCghTZWF0VmlldxJGCglzdHJ1Y3R1cmUYASADKAsyMy5icmlkZ2VtYXN0ZXIuZ2FtZXMuYnJpZGdlc190b19ub3doZXJlLnYxLlBsYWNlbWVudBIPCgdwaWxsYXJzGAIgAS\
gNEj0KBWNhcmRzGAMgAygLMi4uYnJpZGdlbWFzdGVyLmdhbWVzLmJyaWRnZXNfdG9fbm93aGVyZS52MS5DYXJkEg4KBnBsYWNlZBgEIAMoDRIRCgloYXNfZW5kZWQYBSABKAgitwEKCkdhbWVSZXN1bHQSRAoIY2\
9udHJhY3QYASABKA4yMi5icmlkZ2VtYXN0ZXIuZ2FtZXMuYnJpZGdlc190b19ub3doZXJlLnYxLkNvbnRyYWN0EhMKBndpbm5lchgCIAEoDUgAiAEBEkMKBnNjb3JlcxgDIAMoCzIzLmJyaWRnZW1hc3Rlci5nYW\
1lcy5icmlkZ2VzX3RvX25vd2hlcmUudjEuU2VhdFNjb3JlQgkKB193aW5uZXJiBnByb3RvMw",[ae]);var Rc=y("CjZicmlkZ2VtYXN0ZXIvZ2FtZXMvYnJpZGdlc190b19ub3doZXJlL3YxL3JlcXVlc3QucHJvdG8SKGJyaWRnZW1hc3Rlci5nYW1lcy5icmlkZ2VzX3RvX25vd2hlcmUudjEi4wEKB1JlcXVlc3QSSg\
oLb2JzZXJ2YXRpb24YASABKAsyNS5icmlkZ2VtYXN0ZXIuZ2FtZXMuYnJpZGdlc190b19ub3doZXJlLnYxLk9ic2VydmF0aW9uEksKD2xlZ2FsX2RlY2lzaW9ucxgCIAMoCzIyLmJyaWRnZW1hc3Rlci5nYW1lcy\
5icmlkZ2VzX3RvX25vd2hlcmUudjEuRGVjaXNpb24SPwoGZXZlbnRzGAMgAygLMi8uYnJpZGdlbWFzdGVyLmdhbWVzLmJyaWRnZXNfdG9fbm93aGVyZS52MS5FdmVudGIGcHJvdG8z",[Pn,Qn,zn]);var Sc=y("CjRicmlkZ2VtYXN0ZXIvZ2FtZXMvYnJpZGdlc190b19ub3doZXJlL3YxL3NldHVwLnByb3RvEihicmlkZ2VtYXN0ZXIuZ2FtZXMuYnJpZGdlc190b19ub3doZXJlLnYxIo0BCgVTZXR1cBJFCgljb2\
50cmFjdHMYASADKA4yMi5icmlkZ2VtYXN0ZXIuZ2FtZXMuYnJpZGdlc190b19ub3doZXJlLnYxLkNvbnRyYWN0Ej0KBWRlYWxzGAIgAygLMi4uYnJpZGdlbWFzdGVyLmdhbWVzLmJyaWRnZXNfdG9fbm93aGVyZS\
52MS5EZWFsImEKBERlYWwSFQoNZmlyc3RfZHJhZnRlchgBIAEoDRJCCgRkZWNrGAIgAygLMjQuYnJpZGdlbWFzdGVyLmdhbWVzLmJyaWRnZXNfdG9fbm93aGVyZS52MS5CcmlkZ2VDYXJkYgZwcm90bzM",[ae]);var ie=y("CjJicmlkZ2VtYXN0ZXIvZ2FtZXMvY2FyY2Fzc29ubmUvdjEvY29tcG9uZW50cy5wcm90bxIhYnJpZGdlbWFzdGVyLmdhbWVzLmNhcmNhc3Nvbm5lLnYxKpgFCghUaWxlS2luZBIZChVUSUxFX0tJTk\
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
FiBnByb3RvMw"),Hn=(S=>(S[S.UNSPECIFIED=0]="UNSPECIFIED",S[S.A=1]="A",S[S.B=2]="B",S[S.C=3]="C",S[S.D=4]="D",S[S.E=5]="E",S[S.F=6]="F",S[S.G=7]="G",S[S.H=8]="H",
S[S.I=9]="I",S[S.J=10]="J",S[S.K=11]="K",S[S.L=12]="L",S[S.M=13]="M",S[S.N=14]="N",S[S.O=15]="O",S[S.P=16]="P",S[S.Q=17]="Q",S[S.R=18]="R",S[S.S=19]="S",S[S.T=20]=
"T",S[S.U=21]="U",S[S.V=22]="V",S[S.W=23]="W",S[S.X=24]="X",S[S.D1=25]="D1",S[S.D2=26]="D2",S[S.D3=27]="D3",S[S.D4=28]="D4",S[S.D5=29]="D5",S[S.D6=30]="D6",S[S.
D7=31]="D7",S[S.D8=32]="D8",S[S.D9=33]="D9",S[S.D10=34]="D10",S[S.D11=35]="D11",S[S.D12=36]="D12",S))(Hn||{});var jn=(o=>(o[o.UNSPECIFIED=0]="UNSPECIFIED",o[o.NORTH=1]="NORTH",o[o.EAST=2]="EAST",o[o.SOUTH=3]="SOUTH",o[o.WEST=4]="WEST",o))(jn||{});var qn=(A=>(A[A.UNSPECIFIED=0]="UNSPECIFIED",A[A.ROAD_NORTH=1]="ROAD_NORTH",A[A.ROAD_EAST=2]="ROAD_EAST",A[A.ROAD_SOUTH=3]="ROAD_SOUTH",A[A.ROAD_WEST=4]="ROAD_W\
EST",A[A.CITY_NORTH=5]="CITY_NORTH",A[A.CITY_EAST=6]="CITY_EAST",A[A.CITY_SOUTH=7]="CITY_SOUTH",A[A.CITY_WEST=8]="CITY_WEST",A[A.MONASTERY=9]="MONASTERY",A[A.FIELD_NORTH_LEFT=
10]="FIELD_NORTH_LEFT",A[A.FIELD_NORTH_RIGHT=11]="FIELD_NORTH_RIGHT",A[A.FIELD_EAST_LEFT=12]="FIELD_EAST_LEFT",A[A.FIELD_EAST_RIGHT=13]="FIELD_EAST_RIGHT",A[A.FIELD_SOUTH_LEFT=
14]="FIELD_SOUTH_LEFT",A[A.FIELD_SOUTH_RIGHT=15]="FIELD_SOUTH_RIGHT",A[A.FIELD_WEST_LEFT=16]="FIELD_WEST_LEFT",A[A.FIELD_WEST_RIGHT=17]="FIELD_WEST_RIGHT",A))(qn||
{});var Ac=y("Ci5icmlkZ2VtYXN0ZXIvZ2FtZXMvY2FyY2Fzc29ubmUvdjEvY29uZmlnLnByb3RvEiFicmlkZ2VtYXN0ZXIuZ2FtZXMuY2FyY2Fzc29ubmUudjEi0AEKBkNvbmZpZxIYCgtkcmF3YnJpZGdlcxgBIA\
EoCEgAiAEBEhMKBmZpZWxkcxgCIAEoCEgBiAEBEjsKB2VkaXRpb24YAyABKAsyKi5icmlkZ2VtYXN0ZXIuZ2FtZXMuY2FyY2Fzc29ubmUudjEuRWRpdGlvbhI/CgpiYXNlX3RpbGVzGAQgAygLMisuYnJpZGdlbW\
FzdGVyLmdhbWVzLmNhcmNhc3Nvbm5lLnYxLkJhc2VUaWxlQg4KDF9kcmF3YnJpZGdlc0IJCgdfZmllbGRzIk8KB0VkaXRpb24SDAoEbmFtZRgBIAEoCRI2CgV0aWxlcxgCIAMoCzInLmJyaWRnZW1hc3Rlci5nYW\
1lcy5jYXJjYXNzb25uZS52MS5UaWxlIlAKCEJhc2VUaWxlEg0KBWNvdW50GAEgASgNEjUKBHRpbGUYAiABKAsyJy5icmlkZ2VtYXN0ZXIuZ2FtZXMuY2FyY2Fzc29ubmUudjEuVGlsZSKUAgoEVGlsZRI5CgVlZG\
dlcxgBIAMoDjIqLmJyaWRnZW1hc3Rlci5nYW1lcy5jYXJjYXNzb25uZS52MS5UZXJyYWluEj4KBmNpdGllcxgCIAMoCzIuLmJyaWRnZW1hc3Rlci5nYW1lcy5jYXJjYXNzb25uZS52MS5DaXR5U2VnbWVudBI9Cg\
Vyb2FkcxgDIAMoCzIuLmJyaWRnZW1hc3Rlci5nYW1lcy5jYXJjYXNzb25uZS52MS5Sb2FkU2VnbWVudBI/CgZmaWVsZHMYBCADKAsyLy5icmlkZ2VtYXN0ZXIuZ2FtZXMuY2FyY2Fzc29ubmUudjEuRmllbGRTZW\
dtZW50EhEKCW1vbmFzdGVyeRgFIAEoCCJVCgtDaXR5U2VnbWVudBI2CgVlZGdlcxgBIAMoDjInLmJyaWRnZW1hc3Rlci5nYW1lcy5jYXJjYXNzb25uZS52MS5FZGdlEg4KBnNoaWVsZBgCIAEoCCKCAQoLUm9hZF\
NlZ21lbnQSNgoFZWRnZXMYASADKA4yJy5icmlkZ2VtYXN0ZXIuZ2FtZXMuY2FyY2Fzc29ubmUudjEuRWRnZRI7CgpkcmF3YnJpZGdlGAIgASgOMicuYnJpZGdlbWFzdGVyLmdhbWVzLmNhcmNhc3Nvbm5lLnYxLk\
VkZ2UiiAEKDEZpZWxkU2VnbWVudBI/CgpoYWxmX2VkZ2VzGAEgAygOMisuYnJpZGdlbWFzdGVyLmdhbWVzLmNhcmNhc3Nvbm5lLnYxLkhhbGZFZGdlEjcKBmNpdGllcxgCIAMoDjInLmJyaWRnZW1hc3Rlci5nYW\
1lcy5jYXJjYXNzb25uZS52MS5FZGdlYgZwcm90bzM",[ie]);var at=y("CjBicmlkZ2VtYXN0ZXIvZ2FtZXMvY2FyY2Fzc29ubmUvdjEvZGVjaXNpb24ucHJvdG8SIWJyaWRnZW1hc3Rlci5nYW1lcy5jYXJjYXNzb25uZS52MSLjAQoIRGVjaXNpb24SPQoFcGxhY2UYASABKA\
syLC5icmlkZ2VtYXN0ZXIuZ2FtZXMuY2FyY2Fzc29ubmUudjEuUGxhY2VtZW50SAASQQoGbWVlcGxlGAIgASgLMi8uYnJpZGdlbWFzdGVyLmdhbWVzLmNhcmNhc3Nvbm5lLnYxLk1lZXBsZUNob2ljZUgAEkkKCm\
RyYXdicmlkZ2UYAyABKAsyMy5icmlkZ2VtYXN0ZXIuZ2FtZXMuY2FyY2Fzc29ubmUudjEuRHJhd2JyaWRnZUNob2ljZUgAQgoKCGRlY2lzaW9uIjMKCVBsYWNlbWVudBIJCgF4GAEgASgREgkKAXkYAiABKBESEA\
oIcm90YXRpb24YAyABKA0ilAEKDE1lZXBsZUNob2ljZRI7CgRub25lGAEgASgLMisuYnJpZGdlbWFzdGVyLmdhbWVzLmNhcmNhc3Nvbm5lLnYxLk5vTWVlcGxlSAASPQoHc2VnbWVudBgCIAEoDjIqLmJyaWRnZW\
1hc3Rlci5nYW1lcy5jYXJjYXNzb25uZS52MS5TZWdtZW50SABCCAoGY2hvaWNlIgoKCE5vTWVlcGxlIo4BChBEcmF3YnJpZGdlQ2hvaWNlEjcKBGhvbWUYASABKAsyJy5icmlkZ2VtYXN0ZXIuZ2FtZXMuY2FyY2\
Fzc29ubmUudjEuSG9tZUgAEjcKBGdhdGUYAiABKAsyJy5icmlkZ2VtYXN0ZXIuZ2FtZXMuY2FyY2Fzc29ubmUudjEuR2F0ZUgAQggKBmNob2ljZSIGCgRIb21lIlMKBEdhdGUSCQoBeBgBIAEoERIJCgF5GAIgAS\
gREjUKBGNpdHkYAyABKA4yJy5icmlkZ2VtYXN0ZXIuZ2FtZXMuY2FyY2Fzc29ubmUudjEuRWRnZWIGcHJvdG8z",[ie]);var er=y("Ci1icmlkZ2VtYXN0ZXIvZ2FtZXMvY2FyY2Fzc29ubmUvdjEvZXZlbnQucHJvdG8SIWJyaWRnZW1hc3Rlci5nYW1lcy5jYXJjYXNzb25uZS52MSLYBQoFRXZlbnQSQgoKdGlsZV9kcmF3bhgBIAEoCz\
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
FtZUVuZGVkYgZwcm90bzM",[ie,at]);var tr=y("CjNicmlkZ2VtYXN0ZXIvZ2FtZXMvY2FyY2Fzc29ubmUvdjEvb2JzZXJ2YXRpb24ucHJvdG8SIWJyaWRnZW1hc3Rlci5nYW1lcy5jYXJjYXNzb25uZS52MSLzBAoLT2JzZXJ2YXRpb24SGAoLdmlld2\
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
52MS5TZWdtZW50YgZwcm90bzM",[ie]);var Zc=y("Ci9icmlkZ2VtYXN0ZXIvZ2FtZXMvY2FyY2Fzc29ubmUvdjEvcmVxdWVzdC5wcm90bxIhYnJpZGdlbWFzdGVyLmdhbWVzLmNhcmNhc3Nvbm5lLnYxIs4BCgdSZXF1ZXN0EkMKC29ic2VydmF0aW9uGA\
EgASgLMi4uYnJpZGdlbWFzdGVyLmdhbWVzLmNhcmNhc3Nvbm5lLnYxLk9ic2VydmF0aW9uEkQKD2xlZ2FsX2RlY2lzaW9ucxgCIAMoCzIrLmJyaWRnZW1hc3Rlci5nYW1lcy5jYXJjYXNzb25uZS52MS5EZWNpc2\
lvbhI4CgZldmVudHMYAyADKAsyKC5icmlkZ2VtYXN0ZXIuZ2FtZXMuY2FyY2Fzc29ubmUudjEuRXZlbnRiBnByb3RvMw",[at,er,tr]);var vc=y("Ci1icmlkZ2VtYXN0ZXIvZ2FtZXMvY2FyY2Fzc29ubmUvdjEvc2V0dXAucHJvdG8SIWJyaWRnZW1hc3Rlci5nYW1lcy5jYXJjYXNzb25uZS52MSJXCgVTZXR1cBISCgpmaXJzdF9zZWF0GAEgASgNEj\
oKBXRpbGVzGAIgAygOMisuYnJpZGdlbWFzdGVyLmdhbWVzLmNhcmNhc3Nvbm5lLnYxLlRpbGVLaW5kYgZwcm90bzM",[ie]);var ce=y("CjhicmlkZ2VtYXN0ZXIvZ2FtZXMvb2xkX2xvbmRvbl9icmlkZ2UvdjEvY29tcG9uZW50cy5wcm90bxInYnJpZGdlbWFzdGVyLmdhbWVzLm9sZF9sb25kb25fYnJpZGdlLnYxIv4BCgVGYWNlcxI9Cg\
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
IGcHJvdG8z");var Ae=(i=>(i[i.UNSPECIFIED=0]="UNSPECIFIED",i[i.CHAPEL=1]="CHAPEL",i[i.GATE=2]="GATE",i[i.INN=3]="INN",i[i.HABERDASHERY=4]="HABERDASHERY",i[i.GUILDHALL=5]="GUI\
LDHALL",i[i.PARK=6]="PARK",i))(Ae||{});var zs=(o=>(o[o.UNSPECIFIED=0]="UNSPECIFIED",o[o.BLUE=1]="BLUE",o[o.ORANGE=2]="ORANGE",o[o.GREY=3]="GREY",o[o.GREEN=4]="GREEN",o))(zs||{});var kt=(l=>(l[l.UNSPECIFIED=0]="UNSPECIFIED",l[l.SHARE=1]="SHARE",l[l.FREE_CENTRE=2]="FREE_CENTRE",l[l.X_SPACE=3]="X_SPACE",l[l.RECALL=4]="RECALL",l[l.CHAPEL_PLUS_2=
5]="CHAPEL_PLUS_2",l[l.GATE_PLUS_2=6]="GATE_PLUS_2",l[l.PLUS_ONE=7]="PLUS_ONE",l[l.TAKE_A_2=8]="TAKE_A_2",l))(kt||{});var nr=y("CjRicmlkZ2VtYXN0ZXIvZ2FtZXMvb2xkX2xvbmRvbl9icmlkZ2UvdjEvY29uZmlnLnByb3RvEidicmlkZ2VtYXN0ZXIuZ2FtZXMub2xkX2xvbmRvbl9icmlkZ2UudjEi3gEKBkNvbmZpZxJDCgVmYW\
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
RhcnRMZWFkZXJzEh0KGVNUQVJUX0xFQURFUlNfVU5TUEVDSUZJRUQQABIYChRTVEFSVF9MRUFERVJTX1VOUEFJRBABEhYKElNUQVJUX0xFQURFUlNfUEFJRBACYgZwcm90bzM",[ce]);var rr=y("CjZicmlkZ2VtYXN0ZXIvZ2FtZXMvb2xkX2xvbmRvbl9icmlkZ2UvdjEvZGVjaXNpb24ucHJvdG8SJ2JyaWRnZW1hc3Rlci5nYW1lcy5vbGRfbG9uZG9uX2JyaWRnZS52MSKOBQoIRGVjaXNpb24SQw\
oIdGFrZV9hXzIYASABKAsyLy5icmlkZ2VtYXN0ZXIuZ2FtZXMub2xkX2xvbmRvbl9icmlkZ2UudjEuVGFrZUEySAASSgoKcGxheV9jYXJkcxgCIAEoCzI0LmJyaWRnZW1hc3Rlci5nYW1lcy5vbGRfbG9uZG9uX2\
JyaWRnZS52MS5QbGF5ZWRDYXJkc0gAEkYKC3JhaXNlX2NhcmRzGAMgASgLMi8uYnJpZGdlbWFzdGVyLmdhbWVzLm9sZF9sb25kb25fYnJpZGdlLnYxLlJhaXNlc0gAEj8KBXBsYWNlGAQgASgLMi4uYnJpZGdlbW\
FzdGVyLmdhbWVzLm9sZF9sb25kb25fYnJpZGdlLnYxLlBsYWNlSAASQwoHcmVwbGFjZRgFIAEoCzIwLmJyaWRnZW1hc3Rlci5nYW1lcy5vbGRfbG9uZG9uX2JyaWRnZS52MS5SZXBsYWNlSAASRgoJdGFrZV90aW\
xlGAYgASgLMjEuYnJpZGdlbWFzdGVyLmdhbWVzLm9sZF9sb25kb25fYnJpZGdlLnYxLlRha2VUaWxlSAASSAoKdGFrZV9jYXJkcxgHIAEoCzIyLmJyaWRnZW1hc3Rlci5nYW1lcy5vbGRfbG9uZG9uX2JyaWRnZS\
52MS5UYWtlQ2FyZHNIABJECgh1c2VfdGlsZRgIIAEoCzIwLmJyaWRnZW1hc3Rlci5nYW1lcy5vbGRfbG9uZG9uX2JyaWRnZS52MS5Vc2VUaWxlSAASPwoDZW5kGAkgASgLMjAuYnJpZGdlbWFzdGVyLmdhbWVzLm\
9sZF9sb25kb25fYnJpZGdlLnYxLkVuZFR1cm5IAEIKCghkZWNpc2lvbiIWCgZUYWtlQTISDAoEdXNlZBgBIAEoCCKiAQoFUGxhY2USOwoEc3BvdBgBIAEoDjItLmJyaWRnZW1hc3Rlci5nYW1lcy5vbGRfbG9uZG\
9uX2JyaWRnZS52MS5TcG90EjwKBXN0YWNrGAIgASgOMi0uYnJpZGdlbWFzdGVyLmdhbWVzLm9sZF9sb25kb25fYnJpZGdlLnYxLktpbmQSDQoFc2hhcmUYAyABKAgSDwoHb3BlbmluZxgEIAEoCCIXCgdSZXBsYW\
NlEgwKBHNsb3QYASABKA0iHwoIVGFrZVRpbGUSEwoLYm9udXNfc3RhY2sYASABKA0iGgoJVGFrZUNhcmRzEg0KBWNhcmRzGAEgAygNIkoKB1VzZVRpbGUSPwoEdGlsZRgBIAEoDjIxLmJyaWRnZW1hc3Rlci5nYW\
1lcy5vbGRfbG9uZG9uX2JyaWRnZS52MS5UaWxlS2luZCIJCgdFbmRUdXJuKj0KBFNwb3QSFAoQU1BPVF9VTlNQRUNJRklFRBAAEg4KClNQT1RfT1VURVIQARIPCgtTUE9UX0NFTlRSRRACYgZwcm90bzM",[ce]);var sr=y("CjNicmlkZ2VtYXN0ZXIvZ2FtZXMvb2xkX2xvbmRvbl9icmlkZ2UvdjEvZXZlbnQucHJvdG8SJ2JyaWRnZW1hc3Rlci5nYW1lcy5vbGRfbG9uZG9uX2JyaWRnZS52MSLqDAoFRXZlbnQSTgoNcm91bm\
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
FtZXMub2xkX2xvbmRvbl9icmlkZ2UudjEuRmFjZRINCgVtb25leRgDIAEoESIbCgpSb3VuZEVuZGVkEg0KBXJvdW5kGAEgASgNIhoKCUdhbWVFbmRlZBINCgVlYXJseRgBIAEoCGIGcHJvdG8z",[ce]);var or=y("CjlicmlkZ2VtYXN0ZXIvZ2FtZXMvb2xkX2xvbmRvbl9icmlkZ2UvdjEvb2JzZXJ2YXRpb24ucHJvdG8SJ2JyaWRnZW1hc3Rlci5nYW1lcy5vbGRfbG9uZG9uX2JyaWRnZS52MSKeBwoLT2JzZXJ2YX\
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
VzEhQKDGxvd2VzdF9idWlsdBgMIAEoDWIGcHJvdG8z",[ce]);var Gc=y("CjVicmlkZ2VtYXN0ZXIvZ2FtZXMvb2xkX2xvbmRvbl9icmlkZ2UvdjEvcmVxdWVzdC5wcm90bxInYnJpZGdlbWFzdGVyLmdhbWVzLm9sZF9sb25kb25fYnJpZGdlLnYxIuABCgdSZXF1ZXN0EkkKC2\
9ic2VydmF0aW9uGAEgASgLMjQuYnJpZGdlbWFzdGVyLmdhbWVzLm9sZF9sb25kb25fYnJpZGdlLnYxLk9ic2VydmF0aW9uEkoKD2xlZ2FsX2RlY2lzaW9ucxgCIAMoCzIxLmJyaWRnZW1hc3Rlci5nYW1lcy5vbG\
RfbG9uZG9uX2JyaWRnZS52MS5EZWNpc2lvbhI+CgZldmVudHMYAyADKAsyLi5icmlkZ2VtYXN0ZXIuZ2FtZXMub2xkX2xvbmRvbl9icmlkZ2UudjEuRXZlbnRiBnByb3RvMw",[rr,sr,or]);var xc=y("CjNicmlkZ2VtYXN0ZXIvZ2FtZXMvb2xkX2xvbmRvbl9icmlkZ2UvdjEvc2V0dXAucHJvdG8SJ2JyaWRnZW1hc3Rlci5nYW1lcy5vbGRfbG9uZG9uX2JyaWRnZS52MSKPAgoFU2V0dXASEwoLb3JpZW\
50YXRpb24YASABKA0SRgoGc3RhY2tzGAIgAygLMjYuYnJpZGdlbWFzdGVyLmdhbWVzLm9sZF9sb25kb25fYnJpZGdlLnYxLkJ1aWxkaW5nT3JkZXISDwoHbWFya2VycxgDIAMoDRJJCgxib251c19zdGFja3MYBC\
ADKAsyMy5icmlkZ2VtYXN0ZXIuZ2FtZXMub2xkX2xvbmRvbl9icmlkZ2UudjEuQm9udXNUaWxlcxIOCgZzdGFpcnMYBSADKA0SPQoFZmFjZXMYBiABKAsyLi5icmlkZ2VtYXN0ZXIuZ2FtZXMub2xkX2xvbmRvbl\
9icmlkZ2UudjEuRmFjZXMiIgoNQnVpbGRpbmdPcmRlchIRCglidWlsZGluZ3MYASADKA1iBnByb3RvMw",[ce,nr]);var Ze=y("ChpicmlkZ2VtYXN0ZXIvdjEvZ2FtZS5wcm90bxIPYnJpZGdlbWFzdGVyLnYxIrACCgpHYW1lQ29uZmlnEkwKEW9sZF9sb25kb25fYnJpZGdlGAEgASgLMi8uYnJpZGdlbWFzdGVyLmdhbWVzLm9sZF\
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
RnYW1lIlEKCkdhbWVDaGFuY2USOwoIYWxoYW1icmEYAiABKAsyJy5icmlkZ2VtYXN0ZXIuZ2FtZXMuYWxoYW1icmEudjEuU2h1ZmZsZUgAQgYKBGdhbWViBnByb3RvMw",[fc,hc,Jn,$n,Dn,bc,yc,Ec,Pn,Qn,
zn,Rc,Sc,Ac,at,er,tr,Zc,vc,nr,rr,sr,or,Gc,xc]);var it=y("ChticmlkZ2VtYXN0ZXIvdjEvbWF0Y2gucHJvdG8SD2JyaWRnZW1hc3Rlci52MSKXAwoLTWF0Y2hDb25maWcSKQoEZ2FtZRgBIAEoCzIbLmJyaWRnZW1hc3Rlci52MS5HYW1lQ29uZmlnEg0KBXNlYX\
RzGAIgASgNEhEKBHNlZWQYAyABKAlIAIgBARIqCgVjbG9jaxgEIAEoCzIbLmJyaWRnZW1hc3Rlci52MS5DbG9ja1J1bGVzEiwKBmZhdWx0cxgFIAEoCzIcLmJyaWRnZW1hc3Rlci52MS5GYXVsdFBvbGljeRIyCg\
xob3VzZV9wb2xpY3kYBiABKA4yHC5icmlkZ2VtYXN0ZXIudjEuSG91c2VQb2xpY3kSEgoKYXNrX2ZvcmNlZBgHIAEoCBIvCgtzZWF0X2Nsb2NrcxgIIAMoCzIaLmJyaWRnZW1hc3Rlci52MS5TZWF0Q2xvY2sSKg\
oFZ3JvdXAYCSABKAsyGy5icmlkZ2VtYXN0ZXIudjEuTWF0Y2hHcm91cBIzCgpzcGVjdGF0b3JzGAogASgLMh8uYnJpZGdlbWFzdGVyLnYxLlNwZWN0YXRvclJ1bGVzQgcKBV9zZWVkIkIKCVNlYXRDbG9jaxIMCg\
RzZWF0GAEgASgNEicKBG9kZHMYAiABKAsyGS5icmlkZ2VtYXN0ZXIudjEuVGltZU9kZHMieAoIVGltZU9kZHMSFAoHYmFua19tcxgBIAEoDUgAiAEBEhkKDGluY3JlbWVudF9tcxgCIAEoDUgBiAEBEhMKBmNhcF\
9tcxgDIAEoDUgCiAEBQgoKCF9iYW5rX21zQg8KDV9pbmNyZW1lbnRfbXNCCQoHX2NhcF9tcyJxCgpNYXRjaEdyb3VwEhAKCGdyb3VwX2lkGAEgASgJEg4KBm51bWJlchgCIAEoDRIPCgdtYXRjaGVzGAMgASgNEj\
AKC3NlZWRfcmV2ZWFsGAQgASgOMhsuYnJpZGdlbWFzdGVyLnYxLlNlZWRSZXZlYWwiVAoOU3BlY3RhdG9yUnVsZXMSEAoIZGVsYXlfbXMYASABKA0SMAoGYWNjZXNzGAIgASgOMiAuYnJpZGdlbWFzdGVyLnYxLl\
NwZWN0YXRvckFjY2VzcyKRAQoIU2VhdEluZm8SDAoEc2VhdBgBIAEoDRIpCgVzdGF0ZRgCIAEoDjIaLmJyaWRnZW1hc3Rlci52MS5TZWF0U3RhdGUSEAoIYm90X25hbWUYAyABKAkSEwoLYm90X3ZlcnNpb24YBC\
ABKAkSDwoHc3RyaWtlcxgFIAEoDRIUCgxyZXNlcnZlZF9mb3IYBiABKAki8wQKCU1hdGNoSW5mbxIQCghtYXRjaF9pZBgBIAEoCRIqCgVzdGF0ZRgCIAEoDjIbLmJyaWRnZW1hc3Rlci52MS5NYXRjaFN0YXRlEi\
wKBmNvbmZpZxgDIAEoCzIcLmJyaWRnZW1hc3Rlci52MS5NYXRjaENvbmZpZxIoCgVzZWF0cxgEIAMoCzIZLmJyaWRnZW1hc3Rlci52MS5TZWF0SW5mbxIRCglkZWNpc2lvbnMYBSABKA0SLAoGcmVzdWx0GAYgAS\
gLMhwuYnJpZGdlbWFzdGVyLnYxLk1hdGNoUmVzdWx0EhcKD3NlZWRfY29tbWl0bWVudBgHIAEoCRIRCglzZWVkX3NhbHQYCCABKAkSFQoNcnVsZXNfdmVyc2lvbhgJIAEoDRI2CgZsYWJlbHMYCiADKAsyJi5icm\
lkZ2VtYXN0ZXIudjEuTWF0Y2hJbmZvLkxhYmVsc0VudHJ5Eg0KBW1ha2VyGAsgASgJEhcKD2NyZWF0ZWRfdW5peF9tcxgMIAEoBBIXCg9zdGFydGVkX3VuaXhfbXMYDSABKAQSFQoNZW5kZWRfdW5peF9tcxgOIA\
EoBBIzCgxjYW5jZWxsYXRpb24YDyABKAsyHS5icmlkZ2VtYXN0ZXIudjEuQ2FuY2VsbGF0aW9uEi0KCWFubnVsbWVudBgQIAEoCzIaLmJyaWRnZW1hc3Rlci52MS5Bbm51bG1lbnQSKQoEZm9yaxgRIAEoCzIbLm\
JyaWRnZW1hc3Rlci52MS5Gb3JrT3JpZ2luGi0KC0xhYmVsc0VudHJ5EgsKA2tleRgBIAEoCRINCgV2YWx1ZRgCIAEoCToCOAEiNAoMQ2FuY2VsbGF0aW9uEg4KBnJlYXNvbhgBIAEoCRIUCgxjYW5jZWxsZWRfYn\
kYAiABKAkiawoJQW5udWxtZW50EjAKBnJlYXNvbhgBIAEoDjIgLmJyaWRnZW1hc3Rlci52MS5Bbm51bG1lbnRSZWFzb24SDgoGZGV0YWlsGAIgASgJEhwKFHJlcGxhY2VkX2J5X21hdGNoX2lkGAMgASgJInUKCk\
ZvcmtPcmlnaW4SEAoIbWF0Y2hfaWQYASABKAkSEQoJZGVjaXNpb25zGAIgASgNEisKBmNoYW5jZRgDIAEoDjIbLmJyaWRnZW1hc3Rlci52MS5Gb3JrQ2hhbmNlEhUKDWtub3dpbmdfc2VhdHMYBCADKA0ixwEKC0\
1hdGNoUmVzdWx0EhAKCG1hdGNoX2lkGAEgASgJEioKBXNlYXRzGAIgAygLMhsuYnJpZGdlbWFzdGVyLnYxLlNlYXRSZXN1bHQSEQoJZGVjaXNpb25zGAMgASgNEhMKC2R1cmF0aW9uX21zGAQgASgEEhYKDnJlZm\
VyZWVfbGFnX3VzGAUgASgEEh4KFmxvbmdlc3RfcmVmZXJlZV9sYWdfdXMYBiABKAQSGgoSc3BvaWxlZF9ieV9yZWZlcmVlGAcgASgIIvMCCgpTZWF0UmVzdWx0EgwKBHNlYXQYASABKA0SDQoFcGxhY2UYAiABKA\
0SFgoOcGxhY2VfYnlfc2NvcmUYAyABKA0SDQoFc2NvcmUYBCABKBESLQoJYnJlYWtkb3duGAUgAygLMhouYnJpZGdlbWFzdGVyLnYxLlNjb3JlTGluZRIQCghib3RfbmFtZRgGIAEoCRITCgtib3RfdmVyc2lvbh\
gHIAEoCRItCgdmb3JmZWl0GAggASgOMhwuYnJpZGdlbWFzdGVyLnYxLkZhdWx0UmVhc29uEiYKBmZhdWx0cxgJIAMoCzIWLmJyaWRnZW1hc3Rlci52MS5GYXVsdBITCgtmYXVsdF9jb3VudBgKIAEoDRIsCgljbG\
9ja191c2UYCyABKAsyGS5icmlkZ2VtYXN0ZXIudjEuQ2xvY2tVc2USGAoQZm9yY2VkX2RlY2lzaW9ucxgMIAEoDRIXCg9ob3VzZV9kZWNpc2lvbnMYDSABKA0iLQoJU2NvcmVMaW5lEhAKCGNhdGVnb3J5GAEgAS\
gJEg4KBnBvaW50cxgCIAEoESphCgpTZWVkUmV2ZWFsEhsKF1NFRURfUkVWRUFMX1VOU1BFQ0lGSUVEEAASGgoWU0VFRF9SRVZFQUxfV0lUSF9NQVRDSBABEhoKFlNFRURfUkVWRUFMX1dJVEhfR1JPVVAQAiqMAQ\
oPU3BlY3RhdG9yQWNjZXNzEiAKHFNQRUNUQVRPUl9BQ0NFU1NfVU5TUEVDSUZJRUQQABIcChhTUEVDVEFUT1JfQUNDRVNTX1BBUlRJRVMQARIcChhTUEVDVEFUT1JfQUNDRVNTX1JFQURFUlMQAhIbChdTUEVDVE\
FUT1JfQUNDRVNTX1BVQkxJQxADKo0BCgpNYXRjaFN0YXRlEhsKF01BVENIX1NUQVRFX1VOU1BFQ0lGSUVEEAASFwoTTUFUQ0hfU1RBVEVfV0FJVElORxABEhcKE01BVENIX1NUQVRFX1JVTk5JTkcQAhIVChFNQV\
RDSF9TVEFURV9FTkRFRBADEhkKFU1BVENIX1NUQVRFX0NBTkNFTExFRBAEKokBCglTZWF0U3RhdGUSGgoWU0VBVF9TVEFURV9VTlNQRUNJRklFRBAAEhUKEVNFQVRfU1RBVEVfVkFDQU5UEAESGAoUU0VBVF9TVE\
FURV9DT05ORUNURUQQAhIVChFTRUFUX1NUQVRFX1BBVVNFRBADEhgKFFNFQVRfU1RBVEVfRk9SRkVJVEVEEAQqmAEKD0FubnVsbWVudFJlYXNvbhIgChxBTk5VTE1FTlRfUkVBU09OX1VOU1BFQ0lGSUVEEAASIA\
ocQU5OVUxNRU5UX1JFQVNPTl9SRUZFUkVFX0xBRxABEiEKHUFOTlVMTUVOVF9SRUFTT05fU0VSVkVSX0NSQVNIEAISHgoaQU5OVUxNRU5UX1JFQVNPTl9PUkdBTklaRVIQAypXCgpGb3JrQ2hhbmNlEhsKF0ZPUk\
tfQ0hBTkNFX1VOU1BFQ0lGSUVEEAASFAoQRk9SS19DSEFOQ0VfS0VFUBABEhYKEkZPUktfQ0hBTkNFX1JFRFJBVxACYgZwcm90bzM",[st,ot,Ze]);var Vc=y("ChxicmlkZ2VtYXN0ZXIvdjEvcmF0aW5nLnByb3RvEg9icmlkZ2VtYXN0ZXIudjEihAEKBlJhdGluZxILCgNlbG8YASABKAESDwoHZWxvX2xvdxgCIAEoARIQCghlbG9faGlnaBgDIAEoARISCgpjb2\
5maWRlbmNlGAQgASgBEhEKCXJhbmtfYmVzdBgFIAEoDRISCgpyYW5rX3dvcnN0GAYgASgNEg8KB21hdGNoZXMYByABKA0iWwoKSGVhZFRvSGVhZBIPCgdtYXRjaGVzGAEgASgNEhMKC2ZpcnN0X2FoZWFkGAIgAS\
gNEgwKBHRpZXMYAyABKA0SGQoRbWVhbl9zY29yZV9tYXJnaW4YBCABKAFiBnByb3RvMw");var Gm=y("CiRicmlkZ2VtYXN0ZXIvdjEvbGFkZGVyX3NlcnZpY2UucHJvdG8SD2JyaWRnZW1hc3Rlci52MSLXAwoGTGFkZGVyEhEKCWxhZGRlcl9pZBgBIAEoCRIsCgZjb25maWcYAiABKAsyHC5icmlkZ2VtYX\
N0ZXIudjEuTWF0Y2hDb25maWcSFQoNcnVsZXNfdmVyc2lvbhgDIAEoDRIRCglrZXlfbmFtZXMYBCADKAkSEwoLbWF4X21hdGNoZXMYBSABKA0SEgoKaG91c2VfYm90cxgGIAMoCRIUCgxvd25lcnNfYXBhcnQYBy\
ABKAgSEQoJbWF4X3Nsb3RzGAggASgNEi8KB3JlcGxheXMYCSABKA4yHi5icmlkZ2VtYXN0ZXIudjEuTGFkZGVyUmVwbGF5cxItCgdjbG9zaW5nGAogASgLMhwuYnJpZGdlbWFzdGVyLnYxLkNsb3NpbmdSdWxlEi\
sKBXN0YXRlGAsgASgOMhwuYnJpZGdlbWFzdGVyLnYxLkxhZGRlclN0YXRlEhcKD2NyZWF0ZWRfdW5peF9tcxgMIAEoBBIWCg5mcm96ZW5fdW5peF9tcxgNIAEoBBIWCg5jbG9zZWRfdW5peF9tcxgOIAEoBBIPCg\
dtYXRjaGVzGA8gASgEEhgKEGFubnVsbGVkX21hdGNoZXMYECABKAQSDwoHc2V0dGxlZBgRIAEoCCJTCgtDbG9zaW5nUnVsZRITCgtzZXR0bGVkX3RvcBgBIAEoDRISCgpjb25maWRlbmNlGAIgASgBEhsKE21heF\
9tYXRjaGVzX3Blcl9ib3QYAyABKA0i6wEKCFN0YW5kaW5nEhAKCGJvdF9uYW1lGAEgASgJEhMKC2JvdF92ZXJzaW9uGAIgASgJEg0KBW93bmVyGAMgASgJEicKBnJhdGluZxgEIAEoCzIXLmJyaWRnZW1hc3Rlci\
52MS5SYXRpbmcSLwoFc3RhdGUYBSABKA4yIC5icmlkZ2VtYXN0ZXIudjEuQXR0ZW5kYW5jZVN0YXRlEg4KBmRldGFpbBgGIAEoCRIPCgdjaGFuZ2VkGAcgASgIEhgKEGFubnVsbGVkX21hdGNoZXMYCCABKA0SFA\
oMaXNfaG91c2VfYm90GAkgASgIIkoKC1JhdGluZ1BvaW50EhIKCmF0X3VuaXhfbXMYASABKAQSJwoGcmF0aW5nGAIgASgLMhcuYnJpZGdlbWFzdGVyLnYxLlJhdGluZyKEAQoNTGFkZGVyVmVyc2lvbhIrCghzdG\
FuZGluZxgBIAEoCzIZLmJyaWRnZW1hc3Rlci52MS5TdGFuZGluZxItCgdoaXN0b3J5GAIgAygLMhwuYnJpZGdlbWFzdGVyLnYxLlJhdGluZ1BvaW50EhcKD2VudGVyZWRfdW5peF9tcxgDIAEoBCI1CgxMYWRkZX\
JCb3RSZWYSEAoIYm90X25hbWUYASABKAkSEwoLYm90X3ZlcnNpb24YAiABKAkiPgoTQ3JlYXRlTGFkZGVyUmVxdWVzdBInCgZsYWRkZXIYASABKAsyFy5icmlkZ2VtYXN0ZXIudjEuTGFkZGVyIj8KFENyZWF0ZU\
xhZGRlclJlc3BvbnNlEicKBmxhZGRlchgBIAEoCzIXLmJyaWRnZW1hc3Rlci52MS5MYWRkZXIiVgoUQWR2YW5jZUxhZGRlclJlcXVlc3QSEQoJbGFkZGVyX2lkGAEgASgJEisKBXN0YXRlGAIgASgOMhwuYnJpZG\
dlbWFzdGVyLnYxLkxhZGRlclN0YXRlIkAKFUFkdmFuY2VMYWRkZXJSZXNwb25zZRInCgZsYWRkZXIYASABKAsyFy5icmlkZ2VtYXN0ZXIudjEuTGFkZGVyIjsKEkxpc3RMYWRkZXJzUmVxdWVzdBIRCglwYWdlX3\
NpemUYASABKA0SEgoKcGFnZV90b2tlbhgCIAEoCSJYChNMaXN0TGFkZGVyc1Jlc3BvbnNlEigKB2xhZGRlcnMYASADKAsyFy5icmlkZ2VtYXN0ZXIudjEuTGFkZGVyEhcKD25leHRfcGFnZV90b2tlbhgCIAEoCS\
IlChBHZXRMYWRkZXJSZXF1ZXN0EhEKCWxhZGRlcl9pZBgBIAEoCSI8ChFHZXRMYWRkZXJSZXNwb25zZRInCgZsYWRkZXIYASABKAsyFy5icmlkZ2VtYXN0ZXIudjEuTGFkZGVyImYKFExpc3RTdGFuZGluZ3NSZX\
F1ZXN0EhEKCWxhZGRlcl9pZBgBIAEoCRIUCgxhbGxfdmVyc2lvbnMYAiABKAgSEQoJcGFnZV9zaXplGAMgASgNEhIKCnBhZ2VfdG9rZW4YBCABKAkiXgoVTGlzdFN0YW5kaW5nc1Jlc3BvbnNlEiwKCXN0YW5kaW\
5ncxgBIAMoCzIZLmJyaWRnZW1hc3Rlci52MS5TdGFuZGluZxIXCg9uZXh0X3BhZ2VfdG9rZW4YAiABKAkiOgoTR2V0TGFkZGVyQm90UmVxdWVzdBIRCglsYWRkZXJfaWQYASABKAkSEAoIYm90X25hbWUYAiABKA\
kiSAoUR2V0TGFkZGVyQm90UmVzcG9uc2USMAoIdmVyc2lvbnMYASADKAsyHi5icmlkZ2VtYXN0ZXIudjEuTGFkZGVyVmVyc2lvbiKYAQoWTGlzdEhlYWRUb0hlYWRzUmVxdWVzdBIRCglsYWRkZXJfaWQYASABKA\
kSKgoDYm90GAIgASgLMh0uYnJpZGdlbWFzdGVyLnYxLkxhZGRlckJvdFJlZhIYChBhZ2FpbnN0X2JvdF9uYW1lGAMgASgJEhEKCXBhZ2Vfc2l6ZRgEIAEoDRISCgpwYWdlX3Rva2VuGAUgASgJImYKF0xpc3RIZW\
FkVG9IZWFkc1Jlc3BvbnNlEjIKB2VudHJpZXMYASADKAsyIS5icmlkZ2VtYXN0ZXIudjEuTGFkZGVySGVhZFRvSGVhZBIXCg9uZXh0X3BhZ2VfdG9rZW4YAiABKAkidQoQTGFkZGVySGVhZFRvSGVhZBIuCgdhZ2\
FpbnN0GAEgASgLMh0uYnJpZGdlbWFzdGVyLnYxLkxhZGRlckJvdFJlZhIxCgxoZWFkX3RvX2hlYWQYAiABKAsyGy5icmlkZ2VtYXN0ZXIudjEuSGVhZFRvSGVhZCKkAQoYTGlzdExhZGRlck1hdGNoZXNSZXF1ZX\
N0EhEKCWxhZGRlcl9pZBgBIAEoCRIQCghib3RfbmFtZRgCIAEoCRIYChBhZ2FpbnN0X2JvdF9uYW1lGAMgASgJEhUKCGFubnVsbGVkGAQgASgISACIAQESEQoJcGFnZV9zaXplGAUgASgNEhIKCnBhZ2VfdG9rZW\
4YBiABKAlCCwoJX2FubnVsbGVkImMKGUxpc3RMYWRkZXJNYXRjaGVzUmVzcG9uc2USLQoHbWF0Y2hlcxgBIAMoCzIcLmJyaWRnZW1hc3Rlci52MS5MYWRkZXJNYXRjaBIXCg9uZXh0X3BhZ2VfdG9rZW4YAiABKA\
kiaAoLTGFkZGVyTWF0Y2gSKQoFbWF0Y2gYASABKAsyGi5icmlkZ2VtYXN0ZXIudjEuTWF0Y2hJbmZvEi4KB3B1cnBvc2UYAiABKA4yHS5icmlkZ2VtYXN0ZXIudjEuT2ZmZXJQdXJwb3NlIicKEldhdGNoTGFkZG\
VyUmVxdWVzdBIRCglsYWRkZXJfaWQYASABKAkimQEKE1dhdGNoTGFkZGVyUmVzcG9uc2USJwoGbGFkZGVyGAEgASgLMhcuYnJpZGdlbWFzdGVyLnYxLkxhZGRlchIsCglzdGFuZGluZ3MYAiADKAsyGS5icmlkZ2\
VtYXN0ZXIudjEuU3RhbmRpbmcSKwoFbWF0Y2gYAyABKAsyHC5icmlkZ2VtYXN0ZXIudjEuTGFkZGVyTWF0Y2giVQoTUmVxdWVzdE1hdGNoUmVxdWVzdBIRCglsYWRkZXJfaWQYASABKAkSKwoEYm90cxgCIAMoCz\
IdLmJyaWRnZW1hc3Rlci52MS5MYWRkZXJCb3RSZWYiKAoUUmVxdWVzdE1hdGNoUmVzcG9uc2USEAoIbWF0Y2hfaWQYASABKAkiUgoRVW5iZW5jaEJvdFJlcXVlc3QSEQoJbGFkZGVyX2lkGAEgASgJEioKA2JvdB\
gCIAEoCzIdLmJyaWRnZW1hc3Rlci52MS5MYWRkZXJCb3RSZWYiQQoSVW5iZW5jaEJvdFJlc3BvbnNlEisKCHN0YW5kaW5nGAEgASgLMhkuYnJpZGdlbWFzdGVyLnYxLlN0YW5kaW5nIikKFEV4cG9ydFJlc3VsdH\
NSZXF1ZXN0EhEKCWxhZGRlcl9pZBgBIAEoCSImChVFeHBvcnRSZXN1bHRzUmVzcG9uc2USDQoFY2h1bmsYASABKAwiVQoURXhwb3J0UmVwbGF5c1JlcXVlc3QSEQoJbGFkZGVyX2lkGAEgASgJEhAKCGJvdF9uYW\
1lGAIgASgJEhgKEGFnYWluc3RfYm90X25hbWUYAyABKAkiJgoVRXhwb3J0UmVwbGF5c1Jlc3BvbnNlEg0KBWNodW5rGAEgASgMKnQKC0xhZGRlclN0YXRlEhwKGExBRERFUl9TVEFURV9VTlNQRUNJRklFRBAAEh\
UKEUxBRERFUl9TVEFURV9PUEVOEAESFwoTTEFEREVSX1NUQVRFX0ZST1pFThACEhcKE0xBRERFUl9TVEFURV9DTE9TRUQQAyqMAQoNTGFkZGVyUmVwbGF5cxIeChpMQURERVJfUkVQTEFZU19VTlNQRUNJRklFRB\
AAEhkKFUxBRERFUl9SRVBMQVlTX1BVQkxJQxABEh8KG0xBRERFUl9SRVBMQVlTX1BBUlRJQ0lQQU5UUxACEh8KG0xBRERFUl9SRVBMQVlTX0FGVEVSX1NFQVNPThADMt0JCg1MYWRkZXJTZXJ2aWNlElsKDENyZW\
F0ZUxhZGRlchIkLmJyaWRnZW1hc3Rlci52MS5DcmVhdGVMYWRkZXJSZXF1ZXN0GiUuYnJpZGdlbWFzdGVyLnYxLkNyZWF0ZUxhZGRlclJlc3BvbnNlEl4KDUFkdmFuY2VMYWRkZXISJS5icmlkZ2VtYXN0ZXIudj\
EuQWR2YW5jZUxhZGRlclJlcXVlc3QaJi5icmlkZ2VtYXN0ZXIudjEuQWR2YW5jZUxhZGRlclJlc3BvbnNlElgKC0xpc3RMYWRkZXJzEiMuYnJpZGdlbWFzdGVyLnYxLkxpc3RMYWRkZXJzUmVxdWVzdBokLmJyaW\
RnZW1hc3Rlci52MS5MaXN0TGFkZGVyc1Jlc3BvbnNlElIKCUdldExhZGRlchIhLmJyaWRnZW1hc3Rlci52MS5HZXRMYWRkZXJSZXF1ZXN0GiIuYnJpZGdlbWFzdGVyLnYxLkdldExhZGRlclJlc3BvbnNlEl4KDU\
xpc3RTdGFuZGluZ3MSJS5icmlkZ2VtYXN0ZXIudjEuTGlzdFN0YW5kaW5nc1JlcXVlc3QaJi5icmlkZ2VtYXN0ZXIudjEuTGlzdFN0YW5kaW5nc1Jlc3BvbnNlElsKDEdldExhZGRlckJvdBIkLmJyaWRnZW1hc3\
Rlci52MS5HZXRMYWRkZXJCb3RSZXF1ZXN0GiUuYnJpZGdlbWFzdGVyLnYxLkdldExhZGRlckJvdFJlc3BvbnNlEmQKD0xpc3RIZWFkVG9IZWFkcxInLmJyaWRnZW1hc3Rlci52MS5MaXN0SGVhZFRvSGVhZHNSZX\
F1ZXN0GiguYnJpZGdlbWFzdGVyLnYxLkxpc3RIZWFkVG9IZWFkc1Jlc3BvbnNlEmoKEUxpc3RMYWRkZXJNYXRjaGVzEikuYnJpZGdlbWFzdGVyLnYxLkxpc3RMYWRkZXJNYXRjaGVzUmVxdWVzdBoqLmJyaWRnZW\
1hc3Rlci52MS5MaXN0TGFkZGVyTWF0Y2hlc1Jlc3BvbnNlEloKC1dhdGNoTGFkZGVyEiMuYnJpZGdlbWFzdGVyLnYxLldhdGNoTGFkZGVyUmVxdWVzdBokLmJyaWRnZW1hc3Rlci52MS5XYXRjaExhZGRlclJlc3\
BvbnNlMAESWwoMUmVxdWVzdE1hdGNoEiQuYnJpZGdlbWFzdGVyLnYxLlJlcXVlc3RNYXRjaFJlcXVlc3QaJS5icmlkZ2VtYXN0ZXIudjEuUmVxdWVzdE1hdGNoUmVzcG9uc2USVQoKVW5iZW5jaEJvdBIiLmJyaW\
RnZW1hc3Rlci52MS5VbmJlbmNoQm90UmVxdWVzdBojLmJyaWRnZW1hc3Rlci52MS5VbmJlbmNoQm90UmVzcG9uc2USYAoNRXhwb3J0UmVzdWx0cxIlLmJyaWRnZW1hc3Rlci52MS5FeHBvcnRSZXN1bHRzUmVxdW\
VzdBomLmJyaWRnZW1hc3Rlci52MS5FeHBvcnRSZXN1bHRzUmVzcG9uc2UwARJgCg1FeHBvcnRSZXBsYXlzEiUuYnJpZGdlbWFzdGVyLnYxLkV4cG9ydFJlcGxheXNSZXF1ZXN0GiYuYnJpZGdlbWFzdGVyLnYxLk\
V4cG9ydFJlcGxheXNSZXNwb25zZTABYgZwcm90bzM",[gc,it,Vc]);var Hs=(s=>(s[s.UNSPECIFIED=0]="UNSPECIFIED",s[s.OPEN=1]="OPEN",s[s.FROZEN=2]="FROZEN",s[s.CLOSED=3]="CLOSED",s))(Hs||{});var Ic=Ct(Gm,0);var ar=y("ChxicmlkZ2VtYXN0ZXIvdjEvcmVwbGF5LnByb3RvEg9icmlkZ2VtYXN0ZXIudjEikAUKBlJlcGxheRIWCg5mb3JtYXRfdmVyc2lvbhgBIAEoDRIQCghtYXRjaF9pZBgCIAEoCRIPCgdnYW1lX2lkGA\
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
JZX1JFRkVSRUUQAhIUChBERUNJREVEX0JZX0hPVVNFEAMSFQoRREVDSURFRF9CWV9SRVBMQVkQBGIGcHJvdG8z",[st,ot,Ze,it]);var js=y("Ch5icmlkZ2VtYXN0ZXIvdjEvcG9zaXRpb24ucHJvdG8SD2JyaWRnZW1hc3Rlci52MSIkCgZWaWV3ZXISEQoEc2VhdBgBIAEoDUgAiAEBQgcKBV9zZWF0Io8CCghQb3NpdGlvbhIOCgZudW1iZXIYAS\
ABKA0SLwoGcGxheWVkGAIgASgLMh8uYnJpZGdlbWFzdGVyLnYxLlBsYXllZERlY2lzaW9uEjYKDG9ic2VydmF0aW9ucxgDIAMoCzIgLmJyaWRnZW1hc3Rlci52MS5HYW1lT2JzZXJ2YXRpb24SKgoGZXZlbnRzGA\
QgAygLMhouYnJpZGdlbWFzdGVyLnYxLkdhbWVFdmVudBINCgVsaW5lcxgFIAMoCRIqCgZmYXVsdHMYBiADKAsyGi5icmlkZ2VtYXN0ZXIudjEuU2VhdEZhdWx0EhQKDGJhbmtfbGVmdF9tcxgHIAMoDRINCgVhdF\
9tcxgIIAEoBCKdAgoOUGxheWVkRGVjaXNpb24SDAoEc2VhdBgBIAEoDRIvCghkZWNpc2lvbhgCIAEoCzIdLmJyaWRnZW1hc3Rlci52MS5HYW1lRGVjaXNpb24SEAoIbm90YXRpb24YAyABKAkSLgoKZGVjaWRlZF\
9ieRgEIAEoDjIaLmJyaWRnZW1hc3Rlci52MS5EZWNpZGVkQnkSJwoGY2hhcmdlGAUgASgLMhcuYnJpZGdlbWFzdGVyLnYxLkNoYXJnZRIMCgRub3RlGAYgASgJEjYKD2xlZ2FsX2RlY2lzaW9ucxgHIAMoCzIdLm\
JyaWRnZW1hc3Rlci52MS5HYW1lRGVjaXNpb24SGwoTbGVnYWxfZGVjaXNpb25zX2N1dBgIIAEoCCJACglTZWF0RmF1bHQSDAoEc2VhdBgBIAEoDRIlCgVmYXVsdBgCIAEoCzIWLmJyaWRnZW1hc3Rlci52MS5GYX\
VsdGIGcHJvdG8z",[st,ot,Ze,ar]),qs=G(js,0);var eo=y("CiNicmlkZ2VtYXN0ZXIvdjEvbWF0Y2hfc2VydmljZS5wcm90bxIPYnJpZGdlbWFzdGVyLnYxIuACChJDcmVhdGVNYXRjaFJlcXVlc3QSLAoGY29uZmlnGAEgASgLMhwuYnJpZGdlbWFzdGVyLnYxLk\
1hdGNoQ29uZmlnEhcKD2lkZW1wb3RlbmN5X2tleRgCIAEoCRI/CgZsYWJlbHMYAyADKAsyLy5icmlkZ2VtYXN0ZXIudjEuQ3JlYXRlTWF0Y2hSZXF1ZXN0LkxhYmVsc0VudHJ5EjsKEXNlYXRfcmVzZXJ2YXRpb2\
5zGAQgAygLMiAuYnJpZGdlbWFzdGVyLnYxLlNlYXRSZXNlcnZhdGlvbhIaCg1ydWxlc192ZXJzaW9uGAUgASgNSACIAQESKAoEZm9yaxgGIAEoCzIaLmJyaWRnZW1hc3Rlci52MS5NYXRjaEZvcmsaLQoLTGFiZW\
xzRW50cnkSCwoDa2V5GAEgASgJEg0KBXZhbHVlGAIgASgJOgI4AUIQCg5fcnVsZXNfdmVyc2lvbiJDCg9TZWF0UmVzZXJ2YXRpb24SDAoEc2VhdBgBIAEoDRIQCghrZXlfbmFtZRgCIAEoCRIQCghxdWV1ZV9pZB\
gDIAEoCSKXAQoJTWF0Y2hGb3JrEhIKCG1hdGNoX2lkGAEgASgJSAASFQoLcmVwbGF5X2ZpbGUYAiABKAxIABIRCglkZWNpc2lvbnMYAyABKA0SKwoGY2hhbmNlGAQgASgOMhsuYnJpZGdlbWFzdGVyLnYxLkZvcm\
tDaGFuY2USFQoNa25vd2luZ19zZWF0cxgFIAMoDUIICgZzb3VyY2UifwoTQ3JlYXRlTWF0Y2hSZXNwb25zZRIpCgVtYXRjaBgBIAEoCzIaLmJyaWRnZW1hc3Rlci52MS5NYXRjaEluZm8SLAoHdGlja2V0cxgCIA\
MoCzIbLmJyaWRnZW1hc3Rlci52MS5TZWF0VGlja2V0Eg8KB2V4aXN0ZWQYAyABKAgiKgoKU2VhdFRpY2tldBIMCgRzZWF0GAEgASgNEg4KBnRpY2tldBgCIAEoCSIjCg9HZXRNYXRjaFJlcXVlc3QSEAoIbWF0Y2\
hfaWQYASABKAkiPQoQR2V0TWF0Y2hSZXNwb25zZRIpCgVtYXRjaBgBIAEoCzIaLmJyaWRnZW1hc3Rlci52MS5NYXRjaEluZm8iyAIKC01hdGNoRmlsdGVyEioKBXN0YXRlGAEgASgOMhsuYnJpZGdlbWFzdGVyLn\
YxLk1hdGNoU3RhdGUSDwoHZ2FtZV9pZBgCIAEoCRI4CgZsYWJlbHMYAyADKAsyKC5icmlkZ2VtYXN0ZXIudjEuTWF0Y2hGaWx0ZXIuTGFiZWxzRW50cnkSDQoFbWFrZXIYBCABKAkSEAoIYm90X25hbWUYBSABKA\
kSEAoIZ3JvdXBfaWQYBiABKAkSHAoUY3JlYXRlZF9mcm9tX3VuaXhfbXMYByABKAQSHgoWY3JlYXRlZF9iZWZvcmVfdW5peF9tcxgIIAEoBBIVCghhbm51bGxlZBgJIAEoCEgAiAEBGi0KC0xhYmVsc0VudHJ5Eg\
sKA2tleRgBIAEoCRINCgV2YWx1ZRgCIAEoCToCOAFCCwoJX2FubnVsbGVkImkKEkxpc3RNYXRjaGVzUmVxdWVzdBIsCgZmaWx0ZXIYASABKAsyHC5icmlkZ2VtYXN0ZXIudjEuTWF0Y2hGaWx0ZXISEQoJcGFnZV\
9zaXplGAIgASgNEhIKCnBhZ2VfdG9rZW4YAyABKAkidgoTTGlzdE1hdGNoZXNSZXNwb25zZRIrCgdtYXRjaGVzGAEgAygLMhouYnJpZGdlbWFzdGVyLnYxLk1hdGNoSW5mbxIXCg9uZXh0X3BhZ2VfdG9rZW4YAi\
ABKAkSGQoRZGFtYWdlZF9tYXRjaF9pZHMYAyADKAkiJQoRV2F0Y2hNYXRjaFJlcXVlc3QSEAoIbWF0Y2hfaWQYASABKAkiogEKEldhdGNoTWF0Y2hSZXNwb25zZRIpCgVtYXRjaBgBIAEoCzIaLmJyaWRnZW1hc3\
Rlci52MS5NYXRjaEluZm8SNQoLb2JzZXJ2YXRpb24YAiABKAsyIC5icmlkZ2VtYXN0ZXIudjEuR2FtZU9ic2VydmF0aW9uEioKBmV2ZW50cxgDIAMoCzIaLmJyaWRnZW1hc3Rlci52MS5HYW1lRXZlbnQibQoTV2\
F0Y2hNYXRjaGVzUmVxdWVzdBIsCgZmaWx0ZXIYASABKAsyHC5icmlkZ2VtYXN0ZXIudjEuTWF0Y2hGaWx0ZXISEwoLbWF4X21hdGNoZXMYAiABKA0SEwoLaW50ZXJ2YWxfbXMYAyABKA0ieAoUV2F0Y2hNYXRjaG\
VzUmVzcG9uc2USKQoFbWF0Y2gYASABKAsyGi5icmlkZ2VtYXN0ZXIudjEuTWF0Y2hJbmZvEjUKC29ic2VydmF0aW9uGAIgASgLMiAuYnJpZGdlbWFzdGVyLnYxLkdhbWVPYnNlcnZhdGlvbiKNAQoVV2F0Y2hQb3\
NpdGlvbnNSZXF1ZXN0EhIKCG1hdGNoX2lkGAEgASgJSAASFQoLcmVwbGF5X2ZpbGUYAiABKAxIABIoCgd2aWV3ZXJzGAMgAygLMhcuYnJpZGdlbWFzdGVyLnYxLlZpZXdlchIVCg1mcm9tX2RlY2lzaW9uGAQgAS\
gNQggKBnNvdXJjZSJwChZXYXRjaFBvc2l0aW9uc1Jlc3BvbnNlEisKCHBvc2l0aW9uGAEgASgLMhkuYnJpZGdlbWFzdGVyLnYxLlBvc2l0aW9uEikKBW1hdGNoGAIgASgLMhouYnJpZGdlbWFzdGVyLnYxLk1hdG\
NoSW5mbyI1ChBHZXRSZXBsYXlSZXF1ZXN0EhAKCG1hdGNoX2lkGAEgASgJEg8KB2FzX2ZpbGUYAiABKAgiSgoRR2V0UmVwbGF5UmVzcG9uc2USJwoGcmVwbGF5GAEgASgLMhcuYnJpZGdlbWFzdGVyLnYxLlJlcG\
xheRIMCgRmaWxlGAIgASgMIjYKEkNhbmNlbE1hdGNoUmVxdWVzdBIQCghtYXRjaF9pZBgBIAEoCRIOCgZyZWFzb24YAiABKAkiQAoTQ2FuY2VsTWF0Y2hSZXNwb25zZRIpCgVtYXRjaBgBIAEoCzIaLmJyaWRnZW\
1hc3Rlci52MS5NYXRjaEluZm8iOAoVUmVwbGFjZVRpY2tldHNSZXF1ZXN0EhAKCG1hdGNoX2lkGAEgASgJEg0KBXNlYXRzGAIgAygNIkYKFlJlcGxhY2VUaWNrZXRzUmVzcG9uc2USLAoHdGlja2V0cxgBIAMoCz\
IbLmJyaWRnZW1hc3Rlci52MS5TZWF0VGlja2V0IiUKEUNsb3NlR3JvdXBSZXF1ZXN0EhAKCG1hdGNoX2lkGAEgASgJIhQKEkNsb3NlR3JvdXBSZXNwb25zZTKYBwoMTWF0Y2hTZXJ2aWNlElgKC0NyZWF0ZU1hdG\
NoEiMuYnJpZGdlbWFzdGVyLnYxLkNyZWF0ZU1hdGNoUmVxdWVzdBokLmJyaWRnZW1hc3Rlci52MS5DcmVhdGVNYXRjaFJlc3BvbnNlEk8KCEdldE1hdGNoEiAuYnJpZGdlbWFzdGVyLnYxLkdldE1hdGNoUmVxdW\
VzdBohLmJyaWRnZW1hc3Rlci52MS5HZXRNYXRjaFJlc3BvbnNlElgKC0xpc3RNYXRjaGVzEiMuYnJpZGdlbWFzdGVyLnYxLkxpc3RNYXRjaGVzUmVxdWVzdBokLmJyaWRnZW1hc3Rlci52MS5MaXN0TWF0Y2hlc1\
Jlc3BvbnNlElcKCldhdGNoTWF0Y2gSIi5icmlkZ2VtYXN0ZXIudjEuV2F0Y2hNYXRjaFJlcXVlc3QaIy5icmlkZ2VtYXN0ZXIudjEuV2F0Y2hNYXRjaFJlc3BvbnNlMAESXQoMV2F0Y2hNYXRjaGVzEiQuYnJpZG\
dlbWFzdGVyLnYxLldhdGNoTWF0Y2hlc1JlcXVlc3QaJS5icmlkZ2VtYXN0ZXIudjEuV2F0Y2hNYXRjaGVzUmVzcG9uc2UwARJjCg5XYXRjaFBvc2l0aW9ucxImLmJyaWRnZW1hc3Rlci52MS5XYXRjaFBvc2l0aW\
9uc1JlcXVlc3QaJy5icmlkZ2VtYXN0ZXIudjEuV2F0Y2hQb3NpdGlvbnNSZXNwb25zZTABElIKCUdldFJlcGxheRIhLmJyaWRnZW1hc3Rlci52MS5HZXRSZXBsYXlSZXF1ZXN0GiIuYnJpZGdlbWFzdGVyLnYxLk\
dldFJlcGxheVJlc3BvbnNlElgKC0NhbmNlbE1hdGNoEiMuYnJpZGdlbWFzdGVyLnYxLkNhbmNlbE1hdGNoUmVxdWVzdBokLmJyaWRnZW1hc3Rlci52MS5DYW5jZWxNYXRjaFJlc3BvbnNlEmEKDlJlcGxhY2VUaW\
NrZXRzEiYuYnJpZGdlbWFzdGVyLnYxLlJlcGxhY2VUaWNrZXRzUmVxdWVzdBonLmJyaWRnZW1hc3Rlci52MS5SZXBsYWNlVGlja2V0c1Jlc3BvbnNlElUKCkNsb3NlR3JvdXASIi5icmlkZ2VtYXN0ZXIudjEuQ2\
xvc2VHcm91cFJlcXVlc3QaIy5icmlkZ2VtYXN0ZXIudjEuQ2xvc2VHcm91cFJlc3BvbnNlYgZwcm90bzM",[Ze,it,js,ar]);var Nc=G(eo,7);var Mc=G(eo,15);var Yc=Ct(eo,0);function ir(e){let t=new P(e),n=[];for(;t.pos<t.len;)n.push($(Mc,t.bytes()));return n}function Wc(e){let t=atob(e.replace(/\s+/g,"")),n=new Uint8Array(t.length);
for(let r=0;r<t.length;r++)n[r]=t.charCodeAt(r);return n}var cr="bridgemaster-api-key",Fc="x-bridgemaster-key",xm=e=>t=>{let n=sessionStorage.getItem(cr);return n&&t.header.set(Fc,n),e(t)},Cc=()=>$s({baseUrl:location.
origin,interceptors:[xm]}),lr=()=>Wn(Yc,Cc()),ct=()=>Wn(Ic,Cc());function Lc(e){e?sessionStorage.setItem(cr,e):sessionStorage.removeItem(cr)}function D(e){let{code:t,
rawMessage:n}=V.from(e);return{text:n||Z[t],needsKey:t===Z.Unauthenticated||t===Z.PermissionDenied,isUnsupported:t===Z.Unimplemented,mayPass:t===Z.Unavailable||
t===Z.Unknown||t===Z.Internal||t===Z.ResourceExhausted}}async function kc(e){let t={"content-type":"application/octet-stream"},n=sessionStorage.getItem(cr);n&&(t[Fc]=
n);let r=await fetch("/open-replay",{method:"POST",body:e,headers:t});if(!r.ok)throw new Error((await r.text()).slice(0,1e3)||`the server answers ${r.status}`);
return ir(new Uint8Array(await r.arrayBuffer()))}var Vm=/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu;function v(e){let t=Array.from(e),n=t.length>400;return t.slice(0,400).join("").replace(Vm,r=>`\\u{${(r.
codePointAt(0)??0).toString(16)}}`)+(n?"…":"")}function Xc(e,t){let n=(r,s,o)=>m`<a href=${r} aria-current=${t===o?"page":"false"}>${s}</a>`;return m`<header class="top"><a class="brand" href="/"><svg viewBox="0 0 32 32" aria-hidden="true"><path
      d="M1 10H31V14H28V26H25V22A4.5 4.5 0 0 0 16.8 22V26H15.2V22A4.5 4.5 0 0 0 7 22V26H4V14H1Z" fill="currentColor"/></svg>Bridgemaster</a>
    <nav aria-label="pages">${n("/","Matches","matches")}${n("/ladder","Ladders","ladders")}</nav>
    <label class="open button">Open a replay<input type="file" class="unseen" data-open-replay></label></header>${e}`}function re(e,t){return m`<main class="plain"><div class="panel trouble" role="alert"><h1>${t}</h1><p>${v(
e.text)}</p>${e.needsKey?Im():void 0}<p><a href="/">All matches</a></p></div></main>`}function Im(){return m`<form class="key-form" @submit=${e=>{e.preventDefault();
let t=e.currentTarget.elements.namedItem("key");t instanceof HTMLInputElement&&Lc(t.value.trim()),location.reload()}}><label>API key <input name="key" type="password" autocomplete="off" required></label><button type="submit">Use it in this tab</button></form>`}
function z(e){return m`<main class="plain"><p class="panel quiet" role="status">${e}</p></main>`}function Xt(e){let t=e.flatMap(o=>o?[o.eloLow,o.eloHigh]:[]).filter(Number.isFinite),[n,r]=[Math.min(0,...t),Math.max(0,...t)],s=Math.max(10,(r-n)*.04);return{low:n-
s,high:r+s}}function ur(e){return!e||e.rankBest===0?"–":e.rankBest===e.rankWorst?String(e.rankBest):`${e.rankBest}–${e.rankWorst}`}function Tt(e){if(!e)return"\
–";let t=Math.round((e.eloHigh-e.eloLow)/2),n=Math.round(e.elo);return`${n>0?"+":n<0?"−":""}${Math.abs(n)} ± ${t}`}function dr(e,{low:t,high:n}){let r=o=>(Math.
min(n,Math.max(t,o))-t)/(n-t)*200,s=e&&b`<path d="M${r(e.eloLow)} 12H${r(e.eloHigh)}" class="interval"/>
    <circle cx=${r(e.elo)} cy="12" r="5" class="estimate"/>`;return m`<svg class="rating-bar" viewBox="0 0 200 24" preserveAspectRatio="none" role="img" aria-label=${Tt(
e)}>
    <path d="M${r(0)} 2V22" class="zero"/>${s}</svg>`}var to=800,no=220,mr=class{constructor(t,n,r){this.ladderId=t;this.botName=n;this.#r().catch(s=>this.#n=D(s)).finally(r)}ladderId;botName;#t;#e=[];#n;async#r(){
let{ladderId:t,botName:n}=this,r=ct(),{versions:s}=await r.getLadderBot({ladderId:t,botName:n}),o=s[0]?.standing?.botVersion??"",{entries:a}=await r.listHeadToHeads(
{ladderId:t,bot:{botName:n,botVersion:o},pageSize:500});[this.#t,this.#e]=[s,a]}view(){if(this.#n)return re(this.#n,"This bot cannot be shown");let t=this.#t;if(!t)
return z("Asking for the bot…");let n=Xt(t.map(({standing:r})=>r?.rating));return m`<main class="list"><h1><bdi>${v(this.botName)}</bdi></h1>
      <p><a href=${We(this.ladderId)}>standings of <bdi>${v(this.ladderId)}</bdi></a> · <a href=${Oe(this.botName)}>its matches</a></p>
      ${Nm(t)}
      <table class="standings"><thead><tr><th>Version</th><th class="figure">Rank</th><th class="figure">Rating</th><th>Interval</th><th class="figure">Matches</th></tr></thead><tbody>${t.
map(({standing:r})=>m`<tr>
        <th scope="row"><bdi>${v(r?.botVersion??"")}</bdi></th><td class="figure">${ur(r?.rating)}</td><td class="figure">${Tt(r?.rating)}</td>
        <td>${dr(r?.rating,n)}</td><td class="figure">${r?.rating?.matches??0}</td></tr>`)}</tbody></table>
      <h2>Head to head</h2><table class="standings"><thead><tr><th>Against</th><th class="figure">Matches</th><th class="figure">Ahead</th><th class="figure">Tied</th><th class="figure">Behind</th><th class="figure">Mean margin</th></tr></thead>
        <tbody>${this.#e.map(({against:r,headToHead:s})=>m`<tr><th scope="row"><a href=${We(this.ladderId,r?.botName??"")}><bdi>${v(r?.botName??"")}</bdi></a>
          <small><bdi>${v(r?.botVersion??"")}</bdi></small></th><td class="figure">${s?.matches??0}</td><td class="figure">${s?.firstAhead??0}</td>
          <td class="figure">${s?.ties??0}</td><td class="figure">${(s?.matches??0)-(s?.firstAhead??0)-(s?.ties??0)}</td>
          <td class="figure">${(s?.meanScoreMargin??0).toFixed(1)}</td></tr>`)}</tbody></table></main>`}};function Nm(e){let t=e.flatMap(u=>u.history);if(t.length<
2)return m``;let n=t.map(({atUnixMs:u})=>Number(u)),[r,s]=[Math.min(...n),Math.max(...n)],{low:o,high:a}=Xt(t.map(({rating:u})=>u)),i=u=>((Number(u)-r)/Math.max(
1,s-r)*to).toFixed(1),c=u=>(no-(u-o)/(a-o)*no).toFixed(1),l=(u,p)=>{let f=u.history.flatMap(({atUnixMs:R,rating:E})=>E?[{at:i(R),rating:E}]:[]),g=f.map(({at:R,rating:E})=>`${R}\
 ${c(E.eloHigh)}`),h=f.map(({at:R,rating:E})=>`${R} ${c(E.eloLow)}`).reverse();return f.length===0?b``:b`<g class=${j(p)}><title>${v(u.standing?.botVersion??"")}</title>
      <path d="M${[...g,...h].join("L")}Z" class="band"/><path d="M${f.map(({at:R,rating:E})=>`${R} ${c(E.elo)}`).join("L")}" class="score-line"/>
      <text x=${Number(f.at(-1)?.at??0)-6} y=${Number(c(f.at(-1)?.rating.elo??0))-10} text-anchor="end" font-size="14" class="ink">${v(u.standing?.botVersion??"").
slice(0,24)}</text></g>`};return m`<figure class="panel history"><figcaption>Rating over time, by version</figcaption><svg viewBox="0 0 ${to} ${no}" role="img"
    aria-label="rating over time"><path d="M0 ${c(0)}H${to}" class="axis"/><text x="2" y=${Number(c(0))-4} font-size="13" class="ink-soft">0</text>
    <text x="2" y="13" font-size="13" class="ink-soft">${Math.round(a)} Elo</text>${e.map(l)}</svg></figure>`}function ve(e,t,n){let r=o=>{if(o.game.case!==t)throw new Error(`a message of ${o.game.case}`);return o.game.value},s=o=>r(o);return{id:e,entry:t,name:n.name,pointsName:n.
pointsName,board:o=>n.board({observation:s(o.observation),config:o.config?.game.case===t?r(o.config):void 0,events:o.events.map(a=>r(a)),frame:o.frame&&s(o.frame),
names:o.names,toDecide:n.toDecide(s(o.observation))}),status:o=>n.status(s(o)),toDecide:o=>n.toDecide(s(o)),points:o=>n.points(s(o)),notation:o=>n.notation(r(o)),
goesOnTo:(o,a)=>n.goesOnTo?.(s(o),s(a))??!0}}var ke=[1,2,3,4],pr=[1,2,3,4,5,6];function B(e){return(Ps[e]??"?").toLowerCase()}function he(e){return(Qs[e]??"?").toLowerCase()}function gr(e,t){return e?.[B(t)]??
[]}var Mm=["pavilions","seraglios","arcades","chambers","gardens","towers"];function fr(e,t){let n=Mm[t-1];return(n&&e?.[n])??[]}var Ym={0:"",1:"M0-6A6 6 0 1 1-\
0.01-6ZM0-3A3 3 0 1 0 0.01-3Z",2:"M0-7L7 0L0 7L-7 0ZM0-3L-3 0L0 3L3 0Z",3:"M0-7L7 5.5H-7ZM0-1.8L-2.4 2.8H2.4Z",4:"M-5.5-5.5H5.5V5.5H-5.5ZM-2.4-2.4V2.4H2.4V-2.4Z"};
function Bt(e,t,n,r=1){return b`<path d=${Ym[e]} fill-rule="evenodd" transform="translate(${t} ${n}) scale(${r})" class="a-coin"/>`}function Tc(e,t,n,r,s=1){return b`<g transform="translate(${n} ${r}) scale(${s})" class="a-${B(
e)}">
    <title>${B(e)} ${t}</title>
    <rect x="1" y="1" width="58" height="86" rx="7" class="a-card"/>
    <rect x="6" y="6" width="48" height="76" rx="4" class="a-card-inner"/>
    ${Bt(e,15,16,.95)}${Bt(e,45,72,.95)}
    <text x="30" y="57" text-anchor="middle" font-size="36" font-weight="700" class="a-value">${t}</text></g>`}function Bc(e,t,n,r){return b`<g transform="translate(${n} ${r})" class="a-${B(
e)}"><title>${B(e)} ${t}</title>
    <rect x="1" y="1" width="22" height="30" rx="4" class="a-card"/>${Bt(e,12,8,.62)}
    <text x="12" y="26.5" text-anchor="middle" font-size="15" font-weight="700" class="a-value">${t}</text></g>`}var Wm={0:"",1:"M0-12C2-7 8-5 12-3V-1H-12V-3C-8\
-5-2-7 0-12ZM-11 0.5H-8.5V9H-11ZM-4 0.5H-2V9H-4ZM2 0.5H4V9H2ZM8.5 0.5H11V9H8.5ZM-12 9.5H12V12H-12Z",2:"M1.5-12A2.5 2.5 0 1 0 1.5-8A2 2 0 1 1 1.5-12ZM-6-1C-6-5-3\
-7 0-8.5C3-7 6-5 6-1ZM-12 1H-8V0H8V1H12V12H3V8A3 3 0 0 0-3 8V12H-12ZM-10 4V7H-7.5V4ZM7.5 4V7H10V4Z",3:"M-12-9H12V-5H-12ZM-12-4H12V11H9.5V2A2.7 2.7 0 0 0 4-1V11H\
2.7V2A2.7 2.7 0 0 0-2.7 2V11H-4V-1A2.7 2.7 0 0 0-9.5 2V11H-12Z",4:"M-9 12V-4A9 9 0 0 1 9-4V12ZM-6 9.5H-1V3H-6ZM1 9.5H6V3H1ZM-6 0.5H-1V-8.5A6.5 6.5 0 0 0-6-4ZM1 \
0.5H6V-4A6.5 6.5 0 0 0 1-8.5Z",5:"M-7-11C-4-8-3-4-3-1C-3 2-5 3-6 3V7H-8V3C-9 3-11 2-11-1C-11-4-10-8-7-11ZM5-8A5 5 0 0 1 10 1A4 4 0 0 1 6.5 3.5V7H4.5V3.5A4 4 0 0\
 1 0.5 0A5 5 0 0 1 5-8ZM-12 8.5Q-9 7-6 8.5T0 8.5T6 8.5T12 8.5V11.5H-12Z",6:"M-7-12H-4.5V-9.5H-1.5V-12H1.5V-9.5H4.5V-12H7V-5H5V12H2.5V7A2.5 2.5 0 0 0-2.5 7V12H-5\
V-5H-7ZM-1.2-2V2H1.2V-2Z"};function ro(e,t,n,r=1){return b`<path d=${Wm[e]} fill-rule="evenodd" transform="translate(${t} ${n}) scale(${r})" class="a-picture"/>`}
function _c({category:e,price:t},n,r){return b`<g transform="translate(${n} ${r})" class="a-${he(e)}"><title>${he(e)}, price ${t}</title>
    <rect x="1" y="1" width="74" height="94" rx="8" class="a-building"/>
    <path d="M8 70V34A30 26 0 0 1 68 34V70Z" class="a-window"/>
    ${ro(e,38,46,1.75)}
    <circle cx="17" cy="17" r="13" class="a-price"/><text x="17" y="23" text-anchor="middle" font-size="17" font-weight="700" class="a-price-text">${t}</text>
    <text x="38" y="87" text-anchor="middle" font-size="12.5" font-weight="600" class="a-name">${he(e)}</text></g>`}var be=100,hr=70;function Fm({observation:e,events:t}){let n=[e.yard?.blue,e.yard?.green,e.yard?.orange,e.yard?.yellow],r=new Set(t.flatMap(({event:o})=>o.case===
"buildingLaid"?[o.value.slot]:[])),s=new Map(t.flatMap(({event:o})=>o.case==="bought"?[[o.value.purchase?.slot,o.value.seat]]:[]));return m`<figure class="a-yard"><figcaption>Yard</figcaption><svg viewBox="0 0 ${4*
be} 146" role="img"
    aria-label="yard: ${n.map((o,a)=>`${B(ke[a]??0)}: ${o?`${he(o.category)} for ${o.price}`:"empty"}`).join("; ")}">
    ${ke.map((o,a)=>{let i=n[a],c=s.get(o);return b`<g class="a-${B(o)}">
        <rect x=${a*be+3} y="2" width=${be-6} height="142" rx="10" class="a-slot"/>
        <text x=${a*be+60} y="137" text-anchor="middle" font-size="15" class="a-slot-name">${B(o)}</text>
        ${Bt(o,a*be+24,131,1.1)}</g>
        ${i?_c(i,a*be+12,12):b`<rect x=${a*be+14} y="14" width="72" height="92" rx="8" class="vacant"/>${c===void 0?void 0:b`<text x=${a*be+50} y="65" text-anchor="middle" font-size="13" class="ink-soft">to seat ${c}</text>`}`}
        ${r.has(o)?b`<rect x=${a*be+9} y="9" width="82" height="102" rx="11" class="new"/>`:void 0}`})}</svg></figure>`}function Cm({observation:e,events:t}){let n=t.
flatMap(({event:r})=>r.case==="moneyOpened"&&r.value.card?[r.value.card]:[]);return m`<figure class="a-row"><figcaption>Open money</figcaption><svg viewBox="0 0 ${4*
hr} 146" role="img"
    aria-label="open money: ${e.row.map(r=>`${B(r.currency)} ${r.value}`).join(", ")||"none"}">
    ${Array.from({length:4},(r,s)=>{let o=e.row[s];if(!o)return b`<rect x=${s*hr+6} y="26" width="58" height="86" rx="7" class="vacant"/>`;let a=n.findIndex(i=>i.
currency===o.currency&&i.value===o.value);return a>=0&&n.splice(a,1),b`${Tc(o.currency,o.value,s*hr+5,25)}${a>=0?b`<rect x=${s*hr+2} y="22" width="66" height="94" rx="10" class="new"/>`:
void 0}`})}</svg></figure>`}function wc(e,t){if(!t)return m`<span class="a-scoring past" title="scoring ${e} is over"><b>${e}</b> scored</span>`;let n=t.first===
t.last?`under ${t.first}`:`under ${t.first} to ${t.last}`;return m`<span class="a-scoring" title="scoring card ${e} lies below so many money cards"><b>${e}</b> ${n}</span>`}
function Lm({observation:e}){let t=ke.reduce((s,o)=>s+gr(e.unseenMoney,o).length,0),n=ke.reduce((s,o)=>s+gr(e.discard,o).length,0),r=pr.reduce((s,o)=>s+fr(e.unseenBuildings,
o).length,0);return m`<div class="a-piles"><span><b>${t}</b> money cards to come</span><span><b>${n}</b> discarded</span>
    <span><b>${r}</b> buildings to come</span>
    ${e.scoringCardA||e.scoringCardB?[wc("A",e.scoringCardA),wc("B",e.scoringCardB)]:m`<span class="a-scoring past"><b>A</b> and <b>B</b> scored</span>`}</div>`}
function km(e){return pr.map(t=>Math.max(...e.map(n=>fr(n,t).length)))}var so=e=>(e??[]).reduce((t,n)=>t+n,0);function Uc(e,t,n){return m`<ul class="a-holdings">${pr.
map((r,s)=>{let o=fr(e,r),a=o.length>0&&o.length===t[s],i=n.some(c=>c.category===r);return m`<li class="a-${he(r)} ${a?"leads":""} ${i?"gained":""}" title="${he(
r)}: ${o.join(", ")||"none"}${a?"; most of all":""}">
      <svg viewBox="0 0 52 44" role="img" aria-label="${o.length} ${he(r)}${a?", most of all":""}">
        <rect x="1" y="1" width="50" height="42" rx="6" class=${o.length===0?"a-building a-none":"a-building"}/>
        ${ro(r,18,23,1.05)}
        <text x="41" y="30" text-anchor="middle" font-size="20" font-weight="700" class="a-name">${o.length}</text>
        ${a?b`<path d="M33 4L36 8L41 3L46 8L49 4V12H33Z" class="a-crown"/>`:void 0}</svg>
      <span>${o.length===0?"–":o.join(" ")}</span></li>`})}</ul>`}function Jc(e){let t=[["A",so(e?.a)],["B",so(e?.b)],["C",so(e?.c)]];return m`<span class="a-points" title="points of the scorings A, B and C"><b>${t.
reduce((n,[,r])=>n+r,0)}</b> points
    <small>${t.map(([n,r])=>m`<span>${n} ${r}</span>`)}</small></span>`}function Xm(e,t){let n=ke.map(a=>gr(e.hand,a));if(n.reduce((a,i)=>a+i.length,0)===0)return m`<p class="a-hand quiet">no money</p>`;
let s=[...t],o=(a,i)=>i.map((c,l)=>{let u=s.findIndex(p=>p.currency===a&&p.value===c);return u>=0&&s.splice(u,1),b`${Bc(a,c,l*25+2,2)}${u>=0?b`<rect x=${l*25+1} y="1" width="26" height="34" rx="6" class="new"/>`:
void 0}`});return m`<div class="a-hand">${ke.map((a,i)=>{let c=n[i]??[];if(c.length===0)return;let l=c.reduce((u,p)=>u+p,0);return m`<span class="a-purse"><svg viewBox="0 0 ${c.
length*25+4} 36" width=${c.length*25+4} height="36" role="img"
      aria-label="${B(a)}: ${c.join(", ")}">${o(a,c)}</svg><small title="${B(a)} in all">${l}</small></span>`})}</div>`}function Tm(e,t,n){let r=e.observation.seats[t],
s=e.events.flatMap(({event:a})=>a.case==="bought"&&a.value.seat===t&&!a.value.purchase?.give?a.value.building??[]:a.case==="buildingAllotted"&&a.value.seat===t?
a.value.building??[]:[]),o=e.events.flatMap(({event:a})=>a.case==="moneyTaken"&&a.value.seat===t?a.value.cards:[]);return m`<section class="panel a-seat ${e.toDecide.
includes(t)?"decides":""}">
    <header><h3>${W(t)} <bdi>${v(e.names[t]??"")}</bdi></h3>${Jc(r?.points)}</header>
    ${Uc(r?.buildings,n,s)}${r?Xm(r,o):void 0}</section>`}function Bm(e,t){let n=e.observation.dummy;if(!n)return;let r=e.events.flatMap(({event:s})=>s.case==="\
dummyDrew"?s.value.buildings:s.case==="bought"&&s.value.purchase?.give?s.value.building??[]:[]);return m`<section class="panel a-seat a-dummy"><header><h3>Dummy</h3>${Jc(
n.points)}</header>${Uc(n.buildings,t,r)}</section>`}function _m({turnPurchases:e}){if(e.length!==0)return m`<p class="a-purchases">bought in this turn: ${e.map(
({building:t,purchase:n})=>m`<span>${t?`${he(t.category)} ${t.price}`:"?"}${n?.give?" for the dummy":""}</span>`)}</p>`}function $c(e){let{observation:t}=e,n=km(
[...t.seats.map(r=>r.buildings),t.dummy?.buildings]);return m`<div class="board alhambra a-of-${t.seats.length+(t.dummy?1:0)}"><div class="panel a-market">${Fm(
e)}${Cm(e)}${Lm(e)}${_m(t)}</div>
    ${t.seats.map((r,s)=>Tm(e,s,n))}${Bm(e,n)}</div>`}function Dc({phase:e,turnPurchases:t}){switch(e.case){case"turn":return t.length===0?`seat ${e.value.seat}\
 has its turn`:`seat ${e.value.seat} goes on, it paid exactly`;case"shuffle":return"the discard is to be shuffled";default:return"the match is over"}}function wm({currency:e,value:t}){return`${B(e).charAt(0)}${t}`}function Kc({decision:e}){switch(e.case){case"take":{let t=[...e.value.cards];return t.sort((n,r)=>n.
currency-r.currency||n.value-r.value),["take",...t.map(wm)].join(" ")}case"buy":{let{slot:t,payment:n,give:r}=e.value,s=[...n].sort((o,a)=>a-o);return["buy",B(t),
...s,...r?["give"]:[]].join(" ")}case"pass":return"pass";default:return"?"}}function Um(e){return[...e?.a??[],...e?.b??[],...e?.c??[]].reduce((t,n)=>t+n,0)}var Oc=ve("alhambra","alhambra",{name:"Alhambra: The Card Game",pointsName:"poin\
ts",board:$c,status:Dc,notation:Kc,toDecide:({phase:e})=>e.case==="turn"?[e.value.seat]:[],points:({seats:e})=>e.map(t=>Um(t.points))});function oo(e){return(Kn[e]??"?").toLowerCase()}function Pc(e){return(On[e]??"?").toLowerCase()}function Ge({style:e,number:t,left:n,right:r}){return`${oo(e)} ${t===
0?"toll":t} ${Pc(n)} ${Pc(r)}`}function ao(e){return e.case==="bridgeCard"?Ge(e.value):e.case??"?"}function Qc({decision:e}){switch(e.case){case"take":{let{card:t}=e.
value;return`take ${t.case==="bridgeCard"?Ge(t.value):"monument"}`}case"place":return`place ${ao(e.value.piece)} at ${e.value.level} ${e.value.column}`;case"end":
return"end";default:return"?"}}var Hc={width:72,height:52},Jm={0:"",1:"M2 30Q36 52 70 30M2 46H70M12 35V46M24 39.5V46M36 41V46M48 39.5V46M60 35V46",2:"M2 34H70M2 46H70M2 46L13.3 34L24.6 46L36 \
34L47.3 46L58.6 34L70 46",3:"M2 46H70M36 27V46M36 28L4 46M36 28L68 46M36 32L14 46M36 32L58 46M36 37L24 46M36 37L48 46"},$m={0:"",1:"M-8 0C-4-5 2-5 5 0L9-4V4L5 0\
C2 5-4 5-8 0ZM-4.5-1.2A1 1 0 1 0-4.49-1.2Z",2:"M-9-3C-5-6-2-4 0 0C2-4 5-6 9-3C5-3 2.5 0 0 5C-2.5 0-5-3-9-3Z",3:"M-0.5-8V2H-7ZM1-6L6 2H1ZM-9 3.5H9L6 8H-6Z"};function zc(e,t,n){
return b`<path d=${$m[e]} fill-rule="evenodd" transform="translate(${t} ${n}) scale(0.92)" class="b-sign"/>`}function _t(e,t,n){let r=e.number===0;return b`<g transform="translate(${t} ${n})" class="b-${oo(
e.style)}"><title>${Ge(e)}</title>
    <rect x="1" y="1" width="70" height="50" rx="5" class="b-card"/>
    <path d=${Jm[e.style]} class="b-works"/>
    ${zc(e.left,12.5,15)}${zc(e.right,59.5,15)}
    <text x="36" y=${r?19:25} text-anchor="middle" font-size=${r?10.5:23} font-weight="700" class="b-number">${r?"TOLL":e.number}</text></g>`}function br(e,t){return b`<g transform="translate(${e} ${t})"><title>monument</title><rect x="1" y="1" width="70" height="50" rx="5" class="b-plinth"/>
    <path d="M36 4L41 11V34H31V11ZM27 35H45V39H27ZM23 40H49V46H23Z" class="b-statue"/></g>`}function io(e,t){return b`<g transform="translate(${e} ${t})"><title>pillar</title>
    <path d="M16 1H56V8H51V44H56V51H16V44H21V8H16Z" class="b-pillar"/>
    <path d="M21 17H51M21 26H51M21 35H51M36 8V17M29 17V26M43 17V26M36 26V35M29 35V44M43 35V44" class="b-joints"/></g>`}function jc({card:e},t,n){return e.case===
"bridgeCard"?_t(e.value,t,n):br(t,n)}function qc({piece:e},t,n){return e.case==="bridgeCard"?_t(e.value,t,n):e.case==="monument"?br(t,n):io(t,n)}function wt(e){let t=new Map(e.map(r=>[`${r.level} ${r.column}`,r])),n=(r,s)=>t.get(`${r} ${s}`);return e.flatMap(({piece:r,level:s,column:o})=>{if(r.case!=="pi\
llar")return[];let a=[];for(let i=n(s,o+1);i;i=n(s,i.column+1)){if(i.piece.case==="pillar")return a.length>0?[{level:s,from:o+1,cards:a}]:[];a.push(i)}return[]})}
function yr(e){let t={numbers:0,tolls:0,monuments:0,symbols:0};for(let{level:n,cards:r}of e){let s=o=>{let a=r[o]?.piece;return a?.case==="bridgeCard"?a.value.number:
0};r.forEach(({piece:o},a)=>{if(o.case!=="bridgeCard"){t.monuments+=(s(a-1)+s(a+1))*n;return}t.numbers+=o.value.number*n;let i=a===0||a===r.length-1;o.value.number===
0&&i&&(t.tolls+=r.length*n);let c=r[a-1]?.piece;c?.case==="bridgeCard"&&c.value.right===o.value.left&&(t.symbols+=5)})}return t}var el=3,Dm=9,Km=38,tl={0:["no contract",""],1:["Triple","a level-3 segment of 3 cards: 10, of 4 or more: 25"],2:["Spice of life","a segment of each style, of 3\
 cards or more, the longest of 4: 10, of 5 or more: 20"],3:["Longest mile","9 cards in level-1 segments: 10, and 5 for each more"],4:["Spanning the divide","a s\
egment of 5 cards: 10, of 6 or more: 25"],5:["Trial of the sea","three symbol pairs: 10, one of each symbol: 20"],6:["Double","a level-2 segment of 4 cards: 10,\
 of 5 or more: 25"]},Om=e=>e.numbers+e.tolls+e.monuments+e.symbols+e.contract,Pm=(e,t)=>e.level===t?.level&&e.column===t.column;function Qm(e){let t=e.map(o=>o.
column),[n,r]=[Math.min(0,...t)-1,Math.max(0,...t)+1],s=Math.max(0,Dm-(r-n+1));return{left:n-Math.floor(s/2),count:r-n+1+s}}function zm(e,t,n){let r=e.frame?.seats[t]?.
structure??[],{left:s,count:o}=Qm([...n.structure,...r]),{width:a,height:i}=Hc,c=(g,h)=>({x:(h-s)*a,y:(el-g)*i+8}),l=el*i+8,u=new Set(n.placed),p=e.events.flatMap(
({event:g})=>g.case==="placed"&&g.value.seat===t?[g.value.placement]:[]),f=wt(n.structure);return m`<div class="b-scroll" tabindex="0" role="group" aria-label="structure of seat ${t}"><svg class="b-structure" width=${o*
Km} viewBox="0 0 ${o*a} ${l+34}" role="img"
      aria-label="structure of seat ${t}: ${n.structure.map(g=>`${ao(g.piece)} at ${g.level} ${g.column}`).join(", ")||"empty"}">
    <rect width=${o*a} height=${l} class="b-sky"/>
    ${[1,2].map(g=>b`<path d="M0 ${c(g,0).y}H${o*a}" class="b-level"/>`)}
    ${[1,2,3].map(g=>b`<text x="6" y=${c(g,0).y+17} font-size="13" class="ink-soft">×${g}</text>`)}
    <rect y=${l} width=${o*a} height="34" class="b-sea"/>
    <path d=${`M0 ${l+9}${"q12-6 24 0t24 0".repeat(Math.ceil(o*a/48))}`} class="b-wave"/>
    ${n.structure.length===0?b`<rect x=${c(1,0).x+2} y=${c(1,0).y+2} width=${a-4} height=${i-4} rx="5" class="vacant"/>`:void 0}
    ${n.structure.map(g=>{let{x:h,y:R}=c(g.level,g.column);return qc(g,h,R)})}
    ${f.map(({level:g,from:h,cards:R})=>{let{x:E,y:x}=c(g,h);return b`<path d="M${E+3} ${x+i-2}H${E+R.length*a-3}" class="b-segment"/>`})}
    ${n.structure.map((g,h)=>{let R=p.some(A=>Pm(g,A))||h===n.placed.at(-1);if(!R&&!u.has(h))return;let{x:E,y:x}=c(g.level,g.column);return b`<rect x=${E} y=${x} width=${a} height=${i} rx="7" class=${R?
"new":"b-secret"}/>`})}</svg></div>`}function Hm(e,t){if(e.length!==0)return m`<div class="b-hand"><span class="label">${t}</span><svg viewBox="0 0 ${e.length*76} 54" width=${e.
length*76}
    height="54" role="img" aria-label="${t}: ${e.map(({card:n})=>n.case==="bridgeCard"?Ge(n.value):"monument").join(", ")}">${e.map((n,r)=>jc(n,r*76+1,1))}</svg></div>`}
function jm(e,t,n){let{observation:r}=e,s=yr(wt(n.structure)),o=s.numbers+s.tolls+s.monuments+s.symbols,a=r.results.filter(c=>c.winner===t).length,i=r.phase.case===
"build";return m`<section class="panel b-seat ${e.toDecide.includes(t)?"decides":""}">
    <header><h3>${W(t)} <bdi>${v(e.names[t]??"")}</bdi></h3>
      <span title="points of its segments, without the contract"><b>${o}</b> points <small><span>numbers ${s.numbers}</span><span>tolls ${s.tolls}</span><span>monuments ${s.
monuments}</span><span>symbols ${s.symbols}</span></small></span>
      <span><b>${a}</b> ${a===1?"game":"games"} won</span>
      <span class="b-pillars" title="${n.pillars} pillars left"><svg viewBox="0 0 132 30" width="110" height="25" role="img" aria-label="${n.pillars} pillars left">${Array.
from({length:6},(c,l)=>b`<g transform="translate(${l*22-9}) scale(0.55)" opacity=${l<n.pillars?1:.18}>${io(0,0)}</g>`)}</svg></span>
      ${i&&n.hasEnded?m`<span class="tag">has ended</span>`:void 0}
      ${r.phase.case==="draft"&&r.firstDrafter===t?m`<span class="tag">drafts first</span>`:void 0}
    </header>
    ${zm(e,t,n)}${Hm(n.cards,"cards")}</section>`}function qm(e){let{observation:t}=e,[n,r]=tl[t.contract],s=t.open,o=Math.max(6,s.length),a=e.events.flatMap(({
event:i})=>i.case==="taken"?[i.value.seat]:[]);return m`<div class="panel b-table"><div class="b-contract"><span class="label">game ${t.game}, round ${t.round}</span>
      <h3>${n}</h3><p>${r}</p></div>
    <div class="b-draft"><svg viewBox="0 0 ${o*76+84} 60" role="img"
      aria-label="on the table: ${s.map(Ge).join(", ")||"no cards"}; ${t.monuments} monuments">
      ${Array.from({length:o},(i,c)=>{let l=s[c];return l?_t(l,c*76+2,4):t.phase.case!=="draft"?void 0:b`<rect x=${c*76+4} y="6" width="68" height="48" rx="5" class="vacant"/>`})}
      ${t.phase.case!=="draft"?b`<text x=${o*38} y="34" text-anchor="middle" font-size="17" class="b-count">${t.phase.case==="build"?"both seats build in secret":
"the match is over"}</text>`:void 0}
      ${Array.from({length:t.monuments},(i,c)=>br(o*76+2+c*4,4-c))}
      ${t.monuments>0?b`<text x=${o*76+64} y="20" font-size="13" font-weight="700" text-anchor="middle" class="b-count">×${t.monuments}</text>`:void 0}</svg>
      ${a.length>0?m`<p class="quiet">seat ${a[0]} took a card</p>`:void 0}</div>
    <details class="b-unseen"><summary>${t.unseen.length} cards to come</summary><div>${t.unseen.map(i=>m`<svg viewBox="0 0 74 54" width="60" height="44" role="img" aria-label=${Ge(
i)}>${_t(i,1,1)}</svg>`)}</div></details></div>`}function ep({results:e}){if(e.length!==0)return m`<table class="panel b-results"><caption>Games that are over</caption><thead><tr><th>game</th><th>contract</th><th>${W(
0)} seat 0</th><th>${W(1)} seat 1</th></tr></thead>
    <tbody>${e.map((t,n)=>m`<tr><th scope="row">${n}</th><td>${tl[t.contract][0]}</td>${t.scores.map((r,s)=>m`<td
      class=${t.winner===s?"won":""} title="numbers ${r.numbers}, tolls ${r.tolls}, monuments ${r.monuments}, symbols ${r.symbols}, contract ${r.contract}">${Om(
r)}${t.winner===s?" ✓":""}</td>`)}</tr>`)}</tbody></table>`}function nl(e){let{observation:t}=e;return m`<div class="board nowhere">${qm(e)}${t.seats.map((n,r)=>jm(
e,r,n))}${ep(t)}</div>`}function rl({phase:e,game:t,round:n}){let r=`game ${t}, round ${n}`;switch(e.case){case"draft":return`${r}: seat ${e.value.seat} takes a\
 card`;case"build":return`${r}: both seats build in secret`;default:return"the match is over"}}var sl=ve("bridges_to_nowhere","bridgesToNowhere",{name:"Bridges to Nowhere",pointsName:"points of all games",board:nl,status:rl,notation:Qc,toDecide({phase:e,seats:t}){
return e.case==="draft"?[e.value.seat]:e.case==="build"?t.flatMap((n,r)=>n.hasEnded?[]:[r]):[]},goesOnTo:(e,t)=>e.game===t.game,points({phase:e,results:t,seats:n}){
return n.map((r,s)=>{let o=t.reduce((i,{scores:c})=>{let l=c[s];return i+(l?l.numbers+l.tolls+l.monuments+l.symbols+l.contract:0)},0);if(e.case==="over")return o;
let a=yr(wt(r.structure));return o+a.numbers+a.tolls+a.monuments+a.symbols})}});var le=[50,50],Ut=[[50,0],[100,50],[50,100],[0,50]],ye=[[0,0],[100,0],[100,100],[0,100]],tp=6,Xe=5;function dt(e,t){return t>=25?e?.edition?.tiles[t-25]:e?.baseTiles[t-
1]?.tile}function Ee(e){return Hn[e]??String(e)}function lt(e,t,n){let r=[];for(let s=0;s<=12;s++){let o=s/12,[a,i,c]=[(1-o)*(1-o),2*o*(1-o),o*o];r.push([a*e[0]+
i*t[0]+c*n[0],a*e[1]+i*t[1]+c*n[1]])}return r}var co=e=>e-1,np=e=>e-1,K=(e,t)=>e[(t%4+4)%4]??le;function rp(e){let t=s=>e.includes((s%4+4)%4);if(e.length===4)return[
...ye];let[n]=e;if(e.length===1&&n!==void 0){let[s,o,a]=[K(ye,n),K(ye,n+1),K(Ut,n)],i=[a[0]+(50-a[0])*1.28,a[1]+(50-a[1])*1.28];return[s,o,...lt(o,i,s).slice(1,
-1)]}let r=[];for(let s=0;s<4;s++){let[o,a]=[K(ye,s),K(ye,s+1)];if(r.push(o),t(s))continue;if(t(s-1)&&t(s+1)){let c=K(Ut,s),l=e.length===3?.72:.9,u=[c[0]+(50-c[0])*
l,c[1]+(50-c[1])*l];r.push(...lt(o,u,a).slice(1,-1))}else if(t(s-1)){let c=K(ye,s+2);r.push(...lt(o,[50+(50-a[0])*.16,50+(50-a[1])*.16],c).slice(1,-1)),s+=1}}if(!t(
3)&&!t(0)&&t(1)&&t(2)){let[s,o]=[K(ye,1),K(ye,3)];return[s,K(ye,2),o,...lt(o,[58,58],s).slice(1,-1)]}return r}function ut([e,t],n){let r=!1;for(let s=0,o=n.length-
1;s<n.length;o=s++){let[a,i]=[n[s]??le,n[o]??le];a[1]>t!=i[1]>t&&e<(i[0]-a[0])*(t-a[1])/(i[1]-a[1])+a[0]&&(r=!r)}return r}function Er(e,t){return Math.hypot(e[0]-
t[0],e[1]-t[1])}function lo(e,t,n){let r,s=-1/0;for(let o of e){let a=Math.min(o[0],o[1],100-o[0],100-o[1])+4,i=Math.min(a,22);for(let c of t)i=Math.min(i,Er(o,
c));n&&(i-=Er(o,n)*.05),i>s&&([r,s]=[o,i])}return r}function uo(){let e=[];for(let t=Xe/2;t<100;t+=Xe)for(let n=Xe/2;n<100;n+=Xe)e.push([n,t]);return e}function sp(e){
return e.cities.map(({edges:t,shield:n})=>{let r=t.map(co),s=rp(r),o=uo().filter(u=>ut(u,s)),a=uo().filter(u=>!ut(u,s)),i=lo(o,a,le)??le,c=o.filter(u=>Er(u,i)>26),
l=lo(c,a)??i;return{edges:r,outline:s,shield:n,stand:i,crest:l}})}function op(e,t){let n=e.roads.filter(r=>r.edges.length===1).length;return e.roads.map(r=>{let s=r.
edges.map(co),[o=0,a]=s,i=K(Ut,o);if(a!==void 0){let f=K(Ut,a),g=(a-o)%2===0?[i,f]:lt(i,ap(i,f),f),h=g.length===2?le:g[6]??le;return{edges:s,path:g,stand:h,end:void 0,
gate:void 0}}let c=r.drawbridge!==0,l=c?t.findIndex(f=>f.edges[0]===co(r.drawbridge)):n===1&&!e.monastery&&t.length===1?0:-1,u=t[l];if(u){let f=ip(i,u,e.cities.
length>1),g=f[f.length-1]??i,h=f[f.length-2]??i,R=Math.atan2(g[1]-h[1],g[0]-h[0])*180/Math.PI,E=f[Math.floor(f.length*.45)]??i;return{edges:s,path:f,stand:E,end:c?
"drawbridge":"wall",gate:{at:g,degrees:R,city:l}}}let p=[i[0]+(50-i[0])*.42,i[1]+(50-i[1])*.42];return{edges:s,path:[i,le],stand:p,end:e.monastery?"monastery":"\
village",gate:void 0}})}function ap(e,t){let n=[e[0]===50?t[0]:e[0],e[1]===50?t[1]:e[1]];return[50+(n[0]-50)*.12,50+(n[1]-50)*.12]}function ip(e,t,n){let r=t.stand;
if(t.edges.length===1){let c=K(Ut,t.edges[0]??0),l=n?0:.06;r=[c[0]+(e[0]-50)*l,c[1]+(e[1]-50)*l]}let s=[e[0]+(50-e[0])*.62,e[1]+(50-e[1])*.62],o=[],a=lt(e,s,r);
for(let c=0;c+1<a.length;c++){let[l,u]=[a[c]??e,a[c+1]??e];for(let p=0;p<4;p++)o.push([l[0]+(u[0]-l[0])*p/4,l[1]+(u[1]-l[1])*p/4])}let i=o.findIndex(c=>ut(c,t.outline));
return i<1?[e,r]:o.slice(0,i+1)}function ol(e){let t=e%2===0?25:75;return[[t,3],[97,t],[100-t,97],[3,100-t]][e>>1]??le}function cp(e,t,n){let r=n.flatMap(l=>lp(
l.path)),s=l=>!t.some(u=>ut(l,u.outline))&&!r.some(u=>Er(l,u)<tp),o=uo(),a=new Set(o.map((l,u)=>s(l)?u:-1).filter(l=>l>=0)),i=100/Xe,c=[...r,...e.monastery?[le]:
[]];return e.fields.map(l=>{let u=l.halfEdges.map(np),p=new Set,f=u.map(E=>{let[x,A]=ol(E);return Math.min(i-1,Math.floor(A/Xe))*i+Math.min(i-1,Math.floor(x/Xe))});
for(let E=f.pop();E!==void 0;E=f.pop())p.has(E)||!a.has(E)||(p.add(E),E%i>0&&f.push(E-1),E%i<i-1&&f.push(E+1),f.push(E-i,E+i));let g=o.filter((E,x)=>p.has(x)),h=o.
filter((E,x)=>!p.has(x)).concat(c),[R=0]=u;return{halfEdges:u,stand:lo(g,h)??ol(R)}})}function lp(e){return e.slice(1).flatMap((t,n)=>{let r=e[n]??t;return[0,.125,
.25,.375,.5,.625,.75,.875,1].map(s=>[r[0]+(t[0]-r[0])*s,r[1]+(t[1]-r[1])*s])})}var al=new WeakMap;function Te(e){let t=al.get(e);if(!t){let n=sp(e),r=op(e,n),s=cp(
e,n,r),o=r.some(a=>a.end==="village");t={cities:n,roads:r,fields:s,monastery:e.monastery,village:o},al.set(e,t)}return t}function il([e,t],n){let r=[e,t];for(let s=0;s<
n%4;s++)r=[100-r[1],r[0]];return r}function Rr(e,t,n){let r=n/4;return Math.min(...e.map(s=>(s+t*r)%n))}var up=[[0,-1],[1,0],[0,1],[-1,0]];function cl(e,t){let n=[],r=c=>{let l=c;for(let u=n[l];u!==void 0&&u!==l;u=n[l])l=u;return n[c]=l,l},s=new Set,o=new Map,a=e.
map(c=>{let l=dt(t,c.tile);return(l?Te(l).cities:[]).map(u=>{let p=n.push(n.length)-1;for(let f of u.edges)o.set(`${c.x} ${c.y} ${(f+c.rotation)%4}`,p);return p})}),
i=[];for(let[c,l]of o){let[u=0,p=0,f=0]=c.split(" ").map(Number),[g,h]=up[f]??[0,0],R=o.get(`${u+g} ${p+h} ${(f+2)%4}`);R===void 0?i.push(l):n[r(l)]=r(R)}for(let c of i)
s.add(r(c));return a.map(c=>c.map(l=>!s.has(r(l))))}function dp(e){return(jn[e]??"?").charAt(0).toLowerCase()}function Sr(e){let[t="?",n,r]=(qn[e]??"?").toLowerCase().split("_");return n?`${t} ${n.charAt(0)}${r?r.
charAt(0):""}`:t}function ll({decision:e}){switch(e.case){case"place":return`place ${e.value.x} ${e.value.y} ${e.value.rotation}`;case"meeple":{let{choice:t}=e.
value;return t.case==="segment"?`meeple ${Sr(t.value)}`:"meeple none"}case"drawbridge":{let{choice:t}=e.value;return t.case!=="gate"?"drawbridge home":`drawbrid\
ge ${t.value.x} ${t.value.y} ${dp(t.value.city)}`}default:return"?"}}function Ar(e,t){return`M${e.map(([r,s])=>`${Math.round(r*10)/10} ${Math.round(s*10)/10}`).join("L")}${t?"Z":""}`}function mp(e){let t=Ar(e.path,!1);return b`<path d=${t} class="c-road-edge"/><path d=${t} class="c-road"/>`}
function pp(e){let t=[],n=(a,i)=>a[0]===i[0]&&(a[0]===0||a[0]===100)||a[1]===i[1]&&(a[1]===0||a[1]===100),r=[],s=()=>{r.length>1&&t.push(b`<path d=${Ar(r,!1)} class="c-wall"/><path
      d=${Ar(r,!1)} class="c-battlements"/>`),r=[]},o=e.outline;return o.forEach((a,i)=>{let c=o[(i+1)%o.length]??a;if(n(a,c))return s();r.length===0&&r.push(a),
r.push(c)}),s(),t}var gp=[[-17,-5],[15,-8],[-10,9],[17,8],[2,-16],[3,17],[-24,7],[27,-2]];function fp(e,t){let{stand:n,crest:r,outline:s,shield:o}=e,a=[s.reduce(
(c,[l])=>c+l,0)/s.length,s.reduce((c,[,l])=>c+l,0)/s.length],i=c=>[[-7,-6],[7,-6],[7,7],[-7,7]].every(([u,p])=>ut([c[0]+u,c[1]+p],s));return gp.map(([c,l])=>[(a[0]+
n[0])/2+c,(a[1]+n[1])/2+l]).filter(c=>i(c)&&(!o||Math.hypot(c[0]-r[0],c[1]-r[1])>14)).map(([c,l],u)=>b`<g transform="translate(${c} ${l}) rotate(${-90*t})">
      <path d="M-5 0V5H5V0" class="c-house"/><path d="M-6.5 0.5L0-5L6.5 0.5Z"
        class=${u%2===0?"c-roof":"c-roof-2"}/></g>`)}function hp([e,t],n){return b`<g transform="translate(${e} ${t}) rotate(${-90*n})">
    <path d="M-7-8H7V1C7 6 3 8.5 0 10C-3 8.5-7 6-7 1Z" class="c-crest"/>
    <path d="M0-8V10M-7-1H7" class="c-crest-cross"/></g>`}function bp(e){return b`<g transform="translate(50 50) rotate(${-90*e})">
    <ellipse cy="13" rx="25" ry="9" class="c-yard"/>
    <path d="M-19 14V-3H5V14Z" class="c-cloister"/><path d="M-22-2L-7-14L8-2Z" class="c-roof"/>
    <path d="M5 14V-10H18V14Z" class="c-cloister"/><path d="M3-9L11.5-23L20-9Z" class="c-roof"/>
    <path d="M11.5-30V-22M8.5-27H14.5" class="c-cross"/>
    <path d="M-9 14V7A2.5 2.5 0 0 1-4 7V14M9 14V7A2.5 2.5 0 0 1 14 7V14" class="c-door"/></g>`}function yp(e){return b`<g transform="translate(50 50) rotate(${-90*
e})">
    <circle r="13" class="c-yard"/>
    <path d="M-9 7V0H0V7Z" class="c-house"/><path d="M-10.5 0.5L-4.5-5L1.5 0.5Z" class="c-roof"/>
    <path d="M1 5V-3H9V5Z" class="c-house"/><path d="M-0.5-2.5L5-8L10.5-2.5Z" class="c-roof-2"/></g>`}function Ep(e,t){if(!e.gate)return;let{at:n,degrees:r}=e.gate,
s=b`<path d="M-3-9H6V9H-3Z" class="c-gate"/><path d="M-3-4.5H6V4.5H-3Z" class="c-door"/>`,o=t?b`<path d="M-19-5.5H-3V5.5H-19Z" class="c-bridge"/>
        <path d="M-15-5.5V5.5M-11-5.5V5.5M-7-5.5V5.5" class="c-planks"/>
        <path d="M-18-5.5L0-8M-18 5.5L0 8" class="c-chain"/>`:b`<path d="M-7-6.5H-3V6.5H-7Z" class="c-bridge"/>
        <path d="M-7-2.2H-3M-7 2.2H-3" class="c-planks"/>
        <path d="M-18-6V6M-15-6V6" class="c-moat"/>`;return b`<g transform="translate(${n[0]} ${n[1]}) rotate(${r})">${e.end==="drawbridge"?[o,s]:s}</g>`}function mo(e,t,n=[]){
let r=Te(e);return b`<g transform="rotate(${90*t} 50 50)">
    <path d="M0 0H100V100H0Z" class="c-field"/>
    <path d=${Rp} class="c-grass"/>
    ${r.roads.map(mp)}
    ${r.cities.map(s=>b`<path d=${Ar(s.outline,!0)} class="c-city"/>${pp(s)}${fp(s,t)}`)}
    ${r.village?yp(t):void 0}
    ${r.monastery?bp(t):void 0}
    ${r.roads.map((s,o)=>Ep(s,n[o]??!0))}
    ${r.cities.map(s=>s.shield?hp(s.crest,t):void 0)}
  </g>`}var Rp="M12 14l3-5 3 5M80 22l3-5 3 5M28 78l3-5 3 5M74 84l3-5 3 5M14 56l3-5 3 5M86 62l3-5 3 5M44 20l3-5 3 5";var Sp=7,Ap=5;function Zp(e){let t=e.map(l=>l.x),n=e.map(l=>l.y),[r,s]=[Math.min(0,...t)-.5,Math.max(0,...t)+1.5],[o,a]=[Math.min(0,...n)-.5,Math.max(0,...n)+1.5],
i=Math.max(0,Sp-(s-r))/2,c=Math.max(0,Ap-(a-o))/2;return[r,s,o,a]=[r-i,s+i,o-c,a+c],{left:r,top:o,width:s-r,height:a-o}}function vp(e,t,n){let r=dt(e,t.tile);if(!r||
n===9)return{at:[50,58],lies:!1};let s=Te(r),o=n>=10,a=o?s.fields.find(i=>Rr(i.halfEdges,t.rotation,8)===n-10):n>=5?s.cities.find(i=>Rr(i.edges,t.rotation,4)===
n-5):s.roads.find(i=>Rr(i.edges,t.rotation,4)===n-1);return{at:il(a?.stand??[50,50],t.rotation),lies:o}}function Gp(e,t){let n=e.observation.tiles.find(u=>u.x===
t.x&&u.y===t.y);if(!n)return;let{at:r,lies:s}=vp(e.config,n,t.segment),o=e.observation.meeples.filter(u=>u.x===t.x&&u.y===t.y&&u.segment===t.segment),a=(o.indexOf(
t)-(o.length-1)/2)*18,i=e.events.some(({event:u})=>u.case==="meeplePlaced"&&u.value.x===t.x&&u.value.y===t.y&&u.value.segment===t.segment||u.case==="meepleSent"&&
u.value.seat===t.seat&&u.value.gate?.x===t.x&&u.value.gate.y===t.y),[c,l]=[t.x*100+r[0]+a,t.y*100+r[1]];return b`<g><title>meeple of seat ${t.seat}, ${Sr(t.segment)}</title>
    ${i?b`<circle cx=${c} cy=${l} r="21" class="c-new-meeple"/>`:void 0}
    ${$r(t.seat,c,l,1.25,s)}</g>`}function dl(e){return b`<path d="M0 0H100V100H0Z" class="c-field"/><text x="50" y="62" text-anchor="middle"
    font-size="34" class="ink">${Ee(e)}</text>`}function xp(e){let{observation:t,config:n,frame:r}=e,s=Zp([...t.tiles,...r?.tiles??[]]),o=cl(t.tiles,n),a=e.events.
map(({event:u})=>u.case==="tilePlaced"?u.value:void 0),i=a.find(u=>u)?.placement??t.tiles.at(-1),c=a.find(u=>u)?.seat,l=e.events.flatMap(({event:u})=>u.case==="\
scored"&&u.value.points>0?[u.value]:[]);return m`<svg class="c-map" viewBox="${s.left*100} ${s.top*100} ${s.width*100} ${s.height*100}"
      role="img" aria-label="the map, ${t.tiles.length} tiles, ${t.meeples.length} meeples">
    ${t.tiles.map((u,p)=>{let f=dt(n,u.tile),h=(f&&Te(f))?.roads.map(R=>!R.gate||!o[p]?.[R.gate.city])??[];return b`<g transform="translate(${u.x*100} ${u.y*100})">
        <title>${Ee(u.tile)} at (${u.x}, ${u.y}), rotation ${u.rotation}</title>
        ${f?mo(f,u.rotation,h):dl(u.tile)}
        <path d="M0 0H100V100H0Z" class="c-tile-edge"/></g>`})}
    ${i?b`<rect x=${i.x*100+2} y=${i.y*100+2} width="96" height="96" rx="5"
      class="c-last ${c===void 0?"":j(c)}"/>`:void 0}
    ${t.meeples.map(u=>Gp(e,u))}
    ${l.map(u=>b`<g transform="translate(${u.x*100+78} ${u.y*100+22})">
      <title>${Sr(u.segment)} scores ${u.points}</title>
      <circle r="17" class="c-points ${u.seats[0]===void 0?"":j(u.seats[0])}"/>
      <text y="6.5" text-anchor="middle" font-size="18" font-weight="700" fill="#fff">+${u.points}</text></g>`)}
  </svg>`}function ul(e,t,n){let r=dt(e,t);return m`<svg class="c-miniature" viewBox="0 0 100 100" role="img" aria-label=${n}>
    ${r?mo(r,0):dl(t)}<path d="M0 0H100V100H0Z" class="c-tile-edge"/></svg>`}function Vp(e){let{observation:t,config:n}=e,r=t.unseen.reduce((a,i)=>a+i,0),{phase:s}=t,
o=s.case==="placeTile"?s.value.tile:void 0;return m`<div class="c-side">
    ${o===void 0?void 0:m`<figure class="c-drawn">${ul(n,o,`drawn tile ${Ee(o)}`)}
      <figcaption>seat ${t.turnSeat} lays <b>${Ee(o)}</b></figcaption></figure>`}
    ${s.case==="drawbridge"?m`<ul class="c-crossings">${s.value.crossings.map(a=>m`<li>${W(a.seat)} ${a.meeples} ${a.meeples===1?"meeple waits":"meeples wait"} at a drawbridge</li>`)}</ul>`:
void 0}
    ${Ip(e)}
    <details class="c-unseen"><summary>${r} tiles to come</summary>
      <ul>${t.unseen.map((a,i)=>a===0?void 0:m`<li>
        ${ul(n,1+i,`tile ${Ee(1+i)}`)}
        <span>${a}×${Ee(1+i)}</span></li>`)}</ul></details>
    ${t.removed.length===0?void 0:m`<p class="quiet">fitted nowhere: ${t.removed.map(Ee).join(", ")}</p>`}
  </div>`}function Ip({observation:e,names:t,toDecide:n}){return m`<table class="c-seats"><thead><tr><th>seat</th><th>points</th><th title="points of completed roads">roads</th>
      <th title="points of completed cities">cities</th><th title="points of monasteries">monasteries</th></tr></thead>
    <tbody>${e.seats.map((r,s)=>m`<tr class=${n.includes(s)?"decides":""}>
      <th scope="row">${W(s)} <bdi>${v(t[s]??"")}</bdi></th>
      <td class="total">${r.roadPoints+r.cityPoints+r.monasteryPoints}</td><td>${r.roadPoints}</td>
      <td>${r.cityPoints}</td><td>${r.monasteryPoints}</td></tr>
      <tr class="c-supply ${n.includes(s)?"decides":""}"><td colspan="5">
        <svg viewBox="0 0 224 28" role="img" aria-label="${r.supply} meeples in the supply">${Array.from({length:7},(o,a)=>a<r.supply?$r(s,16+a*32,14,.9):b`<circle cx=${16+
a*32} cy="14" r="3" class="c-away"/>`)}</svg></td></tr>`)}</tbody></table>`}function ml(e){return m`<div class="board carcassonne"><div class="felt c-table"><label class="c-zoom" title="enlarge the map"><input type="checkbox" aria-label="enlarge the map"><span aria-hidden="true">⤢</span></label>
    <div class="c-scroll" tabindex="-1">${xp(e)}</div></div>${Vp(e)}</div>`}function pl({phase:e,turnSeat:t,tiles:n}){let r=`tile ${n.length}`;switch(e.case){case"\
placeTile":return`${r}: seat ${t} lays ${Ee(e.value.tile)}`;case"placeMeeple":return`${r}: seat ${t} may place a meeple`;case"drawbridge":return`${r}: seat ${e.
value.crossings[0]?.seat??"?"} decides at a drawbridge`;default:return"the match is over"}}var gl=ve("carcassonne","carcassonne",{name:"Carcassonne with the Drawbridges",pointsName:"points",board:ml,status:pl,notation:ll,toDecide({phase:e,turnSeat:t}){
return e.case==="drawbridge"?e.value.crossings.slice(0,1).map(({seat:n})=>n):e.case==="over"||e.case===void 0?[]:[t]},points:({seats:e})=>e.map(t=>t.roadPoints+
t.cityPoints+t.monasteryPoints)});function Re(e){return(Ae[e]??"?").toLowerCase()}function po(e){return(kt[e]??"?").toLowerCase()}function fl({decision:e}){switch(e.case){case"takeA2":return`tak\
e_a_2 ${e.value.used?"yes":"no"}`;case"playCards":{let{first:t,second:n}=e.value;return n===void 0?`play ${t}`:`play ${t} ${n}`}case"raiseCards":return`raise ${e.
value.first} ${e.value.second}`;case"place":{let{spot:t,stack:n,share:r,opening:s}=e.value,o=t===2,a=o?"free_centre":"x_space";return`place ${o?"centre ":""}${Re(
n)}${r?" share":""}${s?` ${a}`:""}`}case"replace":return`replace ${e.value.slot}`;case"takeTile":return`take_tile ${e.value.bonusStack}`;case"takeCards":return`\
take_cards${e.value.cards.map((n,r)=>n>0?` ${n}x${r}`:"").join("")}`;case"useTile":return`use ${po(e.value.tile)}`;case"end":return"end";default:return"?"}}var Jt={width:46,height:66},Np={0:"",1:"M-1-11H1V-9H3V-7H1V-5L5-1V2H9V9H-9V2H-5V-1L-1-5V-7H-3V-9H-1ZM-2 9V5A2 2 0 0 1 2 5V9Z",2:"M-10-8H-8V-6H-6V-8H-4V-3H4V-8H6\
V-6H8V-8H10V9H4V4A4 4 0 0 0-4 4V9H-10Z",3:"M-8-5A4 4 0 0 1-2-8A4.5 4.5 0 0 1 5-5V-3H7A3.5 3.5 0 0 1 7 5H5V9H-8ZM5-0.5V2.5H6.5A1.5 1.5 0 0 0 6.5-0.5Z",4:"M-8-9H8\
V-5.5H5.5V-3H-5.5V-5.5H-8ZM-6-1.5H6V0.7H-6ZM-6 2.2H6V4.4H-6ZM-5.5 5.5H5.5V6H8V9.5H-8V6H-5.5Z",5:"M0-10L10-4V-2H-10V-4ZM-8-0.5H-5V6H-8ZM-1.5-0.5H1.5V6H-1.5ZM5-0.\
5H8V6H5ZM-10 7H10V9.5H-10Z",6:"M-1.5 9.5V4H-5A4.5 4.5 0 0 1-7-3A5.5 5.5 0 0 1-1-9.5A5.5 5.5 0 0 1 6.5-4.5A4.5 4.5 0 0 1 5 4H1.5V9.5Z"};function Be(e,t,n,r=1){return b`<path d=${Np[e]} fill-rule="evenodd" transform="translate(${t} ${n}) scale(${r})" class="l-ink-${Re(
e)}"/>`}var Mp={1:"M-1.3-6.5H1.3V-1.8H5V0.8H1.3V7H-1.3V0.8H-5V-1.8H-1.3Z",2:"M0-3.5L5 2.5V5.5L0-0.5L-5 5.5V2.5Z",3:"M-5.5-6.5H-2.5L5 3.5L3 6L-5.5-4Z",4:"M0-3.8A\
3.4 3.4 0 1 1-0.01-3.8Z"};function $t(e){return e===0?"all four coats":(zs[e]??"?").toLowerCase()}function Zr(e,t,n,r=1){return b`<g transform="translate(${t} ${n}) scale(${r})"><path d="M-6-8H6V1C6 5 3 7.5 0 9C-3 7.5-6 5-6 1Z"
    class="l-coat-${$t(e)}" stroke="var(--piece-edge)" stroke-width="1.2"/>
    <path d=${Mp[e]??""} fill="#fff" fill-opacity="0.92"/></g>`}var Dt=[1,2,3,4];function Yp({kind:e,number:t,coat:n}){return`${Re(e)}${t>0?` ${t}`:""}, ${$t(n)}`}
function vr(e,t,n,r=1){let{kind:s,number:o,coat:a}=e,i=s===5?Dt.map((c,l)=>Zr(c,8.5+l*9.7,55,.62)):Zr(a,s===6?23:36.5,52,.9);return b`<g transform="translate(${t} ${n}) scale(${r})"><title>${Yp(
e)}</title>
    <path d="M1.5 12.5L23 1.5L44.5 12.5V65H1.5Z" class="l-house-${Re(s)}"
      stroke="var(--piece-edge)" stroke-width="1.5" stroke-linejoin="round"/>
    <path d="M1.5 12.5L23 1.5L44.5 12.5" fill="none" class="l-roof-${Re(s)}" stroke-width="4" stroke-linejoin="round"/>
    ${Be(s,23,s===6?28:23,s===6?1.2:.88)}
    ${o>0?b`<text x=${s===5?23:15.5} y=${s===5?47:58} text-anchor="middle"
      font-size=${s===5?14:17} font-weight="700" class="l-number">${o}</text>`:void 0}
    ${i}</g>`}var Wp={0:["","no tile"],1:["share","enter a space where other pawns are"],2:["centre","enter the centre without paying"],3:["X","enter the X spac\
e"],4:["recall","take back the card of this turn"],5:["+2","two spaces on the chapel track"],6:["+2","two spaces on the gate track"],7:["+1","raise a played car\
d by one"],8:["take","take a 2 before cards are chosen"]};function Gr(e,t,n,r=1,s=!1){let[o,a]=Wp[e],i=o.length<=2,c={1:b`<path d="M8 22C8 17 12 17 12 12A4 4 0 1 1 17 12C17 17 20 17 20 22ZM19 22C21 20 22 16 22 12A4 4 0 1 1 27 12C27 17 30 17 30 22Z" class="l-glyph"/>`,
2:b`<circle cx="19" cy="15" r="9.5" fill="none" class="l-line"/><circle cx="19" cy="15" r="3.8" class="l-glyph"/>`,4:b`<path d="M27 21A9 9 0 1 0 11 17M7.5 12L11 18.5L17 15" fill="none" class="l-line"/>`,
5:Be(1,12,20,.85),6:Be(2,12,20,.85),8:b`<rect x="12" y="5" width="14" height="19" rx="2" class="l-glyph-card"/><text x="19" y="19.5" text-anchor="middle" font-size="13" font-weight="700" class="l-number">2</text>`}[e],
l=e===5||e===6;return b`<g transform="translate(${t} ${n}) scale(${r})">
    <title>${po(e)}: ${a}${s?"; usable from the next round on":""}</title>
    <rect x="1" y="1" width="36" height="36" rx="7" class=${s?"l-tile l-fresh":"l-tile"}/>${c}
    <text x=${l?27.5:19} y=${i?26:33} text-anchor="middle" font-size=${l?13:i?19:9.5}
      font-weight="700" class="l-glyph">${o}</text></g>`}function mt(e,t,n,r=1){return b`<g transform="translate(${t} ${n}) scale(${r})"><title>character card ${e}</title>
    <rect x="1" y="1" width="22" height="32" rx="3.5" class="l-card l-card-${e}"/>
    <path d="M5 31C5 25 8.5 24 9.5 22A5 5 0 1 1 14.5 22C15.5 24 19 25 19 31Z" class="l-person"/>
    <text x="12" y="15" text-anchor="middle" font-size="15" font-weight="700" class="l-number">${e}</text></g>`}function hl(e,t){return b`<g transform="translate(${e} ${t})"><title>a card that is not revealed</title>
    <rect x="1" y="1" width="22" height="32" rx="3.5" class="l-back"/><path d="M6 8L18 26M18 8L6 26" class="l-back-line"/></g>`}var bl=12,Vr=bl/2,pt=52,xr=48;function Fp(e,t,n){let r=Vr*pt,s=Array.from({length:Vr},(o,a)=>{let i=e+a,c=a*pt,l=t[i];return b`
      <path d="M${c} 79H${c+pt}V106H${c+46}V102A20 18 0 0 0 ${c+6} 102V106H${c}Z" class="l-stone"/>
      <path d="M${c} 79.5H${c+pt}" class="l-deck"/>
      ${l?vr(l,c+(pt-Jt.width)/2,12):b`<rect x=${c+5} y="27" width="42" height="50" rx="5" class="l-slot"/><text x=${c+26} y="57" text-anchor="middle"
            font-size="13" class="ink-soft">${i}</text>`}
      ${n.has(i)?b`<rect x=${c+1} y="9" width=${pt-2} height="71" rx="7" class="new"/>`:void 0}
      ${n.get(i)?b`<text x=${c+26} y="9" text-anchor="middle" font-size="10" class="ink-soft">replaced</text>`:void 0}`});return m`<svg class="l-half" viewBox="0 0 ${r} 112" aria-hidden="true">
    <rect y="98" width=${r} height="14" class="l-water"/>
    <path d="M0 102q13-5 26 0t26 0t26 0t26 0t26 0t26 0t26 0t26 0t26 0t26 0t26 0t26 0" class="l-wave"/>
    ${s.map(o=>b`${o}`)}</svg>`}function Cp(e){return Dt.map(t=>e.filter(n=>n.coat===t||n.kind===5).length)}function Lp(e,t){let n=e.hand.flatMap((a,i)=>a>0?[{value:i,
count:a}]:[]),r=e.played,s=[e.raises?.first??0,e.raises?.second??0],o=r?[r.first,...r.second===void 0?[]:[r.second]]:[];return m`<div class="l-cards"><span class="label">hand</span>
    <svg class="row" viewBox="0 0 ${Math.max(1,n.length)*xr} 34" width=${Math.max(1,n.length)*xr} height="34" role="img"
      aria-label="hand: ${n.map(({value:a,count:i})=>`${i} of ${a}`).join(", ")||"none"}">
      ${n.map(({value:a,count:i},c)=>b`${mt(a,c*xr,0)}<text x=${c*xr+26} y="22"
        font-size="12" class="ink">×${i}</text>`)}</svg>
    ${o.length>0?m`<span class="label">plays</span><svg class="row" viewBox="0 0 ${o.length*44} 34" width=${o.length*44} height="34"
      role="img" aria-label="plays ${o.join(" and ")}">${o.map((a,i)=>b`${mt(a,i*44,0)}${s[i]?b`<text x=${i*44+26} y="22" font-size="13" font-weight="700" class="ink">+${s[i]}</text>`:
void 0}`)}</svg>`:e.hasChosen?m`<span class="label">chose</span><svg class="row" viewBox="0 0 24 34" width="24" height="34" role="img"
          aria-label="a card that is not revealed">${hl(0,0)}</svg>`:t?m`<span class="label">chooses…</span>`:void 0}</div>`}function kp(e){if(e.tiles.length===
0)return;let t=[...e.freshTiles],n=34;return m`<div class="l-tiles"><span class="label">tiles</span><svg class="row" viewBox="0 0 ${e.tiles.length*n} ${n}"
    width=${e.tiles.length*n} height=${n} role="img" aria-label="${e.tiles.length} bonus tiles">${e.tiles.map((r,s)=>{let o=t.indexOf(r);return o>=0&&t.splice(o,
1),Gr(r,s*n,0,.88,o>=0)})}</svg></div>`}function yl(e,t,n){let r=new Map;for(let{event:i}of e.events)i.case==="built"&&i.value.seat===t&&r.set(i.value.slot,i.value.
replaced!==void 0);let s=e.observation.phase.case==="chooseCards",o=Cp(n.bridge),a=Math.max(bl,n.bridge.length);return m`<section class="panel l-seat ${e.toDecide.
includes(t)?"decides":""}">
    <header><h3>${W(t)} <bdi>${v(e.names[t]??"")}</bdi></h3><b class="money">£${n.money}</b>
      <svg class="row" viewBox="0 0 168 22" width="168" height="22" role="img"
        aria-label="strengths: ${Dt.map((i,c)=>`${$t(i)} ${o[c]}`).join(", ")}">
        ${Dt.map((i,c)=>b`<g><title>strength of ${$t(i)}: ${o[c]}</title>${Zr(i,10+c*42,11)}
          <text x=${21+c*42} y="16" font-size="14" font-weight="700" class="ink">${o[c]}</text></g>`)}</svg>
      ${Lp(n,s)}${kp(n)}</header>
    <div class="l-bridge" role="img" aria-label="bridge: ${n.bridge.map(i=>`${Ae[i.kind]?.toLowerCase()} ${i.number||""}`).join(", ")||"empty"}">${Array.from({length:Math.
ceil(a/Vr)},(i,c)=>Fp(c*Vr,n.bridge,r))}</div></section>`}var Kt=6,Xp=[0,1,2,3,2,1],go=1.25;function Ot(e,t){let n=(e*60-90)*Math.PI/180;return[Math.cos(n)*t,Math.sin(n)*t]}function Tp(e,t,n,r){let s=e.unseenNumbers.length+
e.unseenCoats.length,[o,a]=[Jt.width*go,Jt.height*go],[i,c]=[t-o/2,n-a/2-4],l=e.top?s+1:0;return b`<g><title>${Re(e.kind)}: ${l} left</title>
    ${[3,2,1].filter(u=>s>=u*3-2).map(u=>b`<rect x=${i+2+u*2.5} y=${c+17+u*2.5} width=${o-3} height=${a-17} class="l-below"/>`)}
    ${e.top?vr(e.top,i,c,go):b`<rect x=${i} y=${c+8} width=${o} height=${a-8} rx="6" class="vacant"/>${Be(e.kind,t,n,1.3)}`}
    ${r?b`<rect x=${i-3} y=${c-3} width=${o+6} height=${a+7} rx="8" class="new"/>`:void 0}
    <text x=${t} y=${n+a/2+16} text-anchor="middle" font-size="13" class="ink-soft">${Re(e.kind)} ×${l}</text></g>`}function El({observation:e,config:t,events:n}){
let r=t?.edition?.rondelIncomes??Xp,s=new Set(n.flatMap(({event:c})=>c.case==="placed"?[c.value.seat]:[])),o=n.flatMap(({event:c})=>c.case==="stackRevealed"?[c.
value.stack]:[]),a=c=>e.seats.flatMap(({pawn:l},u)=>(c==="centre"?l?.place.case==="centre":l?.place.case==="outer"&&l.place.value===c)?[u]:[]),i=(c,l,u)=>c.map(
(p,f)=>b`${s.has(p)?b`<circle cx=${l+(f-(c.length-1)/2)*24} cy=${u-10} r="20" class="new"/>`:void 0}${Jo(p,l+(f-(c.length-1)/2)*24,u,1.25)}`);return m`<svg class="l-rondel" viewBox="-240 -258 480 510" role="img"
      aria-label="the rondel with six stacks of buildings">
    <circle r="124" class="l-rim"/><circle r="118" class="l-wheel"/>
    ${Array.from({length:Kt},(c,l)=>{let[u,p]=Ot(l+.5,42),[f,g]=Ot(l+.5,118),[h,R]=Ot(l,101),E=r[l]??0;return b`<path d="M${u} ${p}L${f} ${g}" class="l-spoke"/>
        <text x=${h} y=${R+7} text-anchor="middle" font-size=${l===0?28:20} font-weight="700" class=${l===0?"l-x":"l-income"}
          >${l===0?"✕":`£${E}`}</text>`})}
    <circle r="42" class="l-centre"/><text y="-19" text-anchor="middle" font-size="15" font-weight="700" class="l-income">−£2</text>
    ${e.stacks.map((c,l)=>{let u=((l-e.orientation)%Kt+Kt)%Kt,[p,f]=Ot(u,u===0?200:u===3?182:192);return Tp(c,p,f,o.includes(c.kind)&&c.kind!==0)})}
    ${Array.from({length:Kt},(c,l)=>{let[u,p]=Ot(l,63);return i(a(l),u,p+12)})}
    ${i(a("centre"),0,23)}
  </svg>`}var Ir=16,xe=27,Rl=8,Sl=10;function Al(e){let t=e.last+1,n=Math.ceil(t/Ir),r=12+e.order.length*Rl,s=r+xe+3,o=a=>({x:a%Ir*xe+3,y:Math.floor(a/Ir)*s+r});return m`<figure class="l-track"><figcaption><svg class="glyph" viewBox="-12 -12 24 24" aria-hidden="true">${Be(
e.kind,0,0)}</svg> ${e.name}</figcaption>
    <svg viewBox="0 0 ${Ir*xe+6} ${n*s}" role="img" aria-label=${e.name}>
    ${Array.from({length:t},(a,i)=>{let{x:c,y:l}=o(i),u=e.printed.get(i);return b`<g><rect x=${c+1} y=${l} width=${xe-2} height=${xe-2} rx="4"
          class=${u===void 0?"l-space":"l-space l-pays"}/>
        <text x=${c+xe/2} y=${l+16.5} text-anchor="middle" font-size=${u===void 0?10:u.length>3?9:12}
          font-weight=${u===void 0?400:700} class=${u===void 0?"ink-soft":"l-pays-text"}>${u??(i===0?"start":i)}</text></g>`})}
    ${[...e.order].reverse().map(a=>{let{x:i,y:c}=o(e.position(a)),l=e.order.slice(e.order.indexOf(a)+1).filter(p=>e.position(p)===e.position(a)).length,u=c-1-l*
Rl;return b`${e.moved.has(a)?b`<circle cx=${i+xe/2} cy=${u} r="14" class="new"/>`:void 0}
        ${Jr(a,i+xe/2,u,9.5)}`})}</svg></figure>`}function Zl({observation:e,config:t,events:n}){let r=t?.edition,s=l=>new Set(n.flatMap(({event:u})=>u.case===l&&
u.value.fromSpace!==u.value.toSpace?[u.value.seat]:[])),o=r?.chapelLastSpace??Math.max(15,...e.seats.map(l=>l.chapelPosition)),a=r?.gateLastSpace??Math.max(15,...e.
seats.map(l=>l.gatePosition)),i=new Map(r?.chapelMoney.map(l=>[l.space,`£${l.money}`])),c=new Map(r?.gateBonus.map(l=>[l,"★"]));return i.set(o,`£${(r?.chapelMoney.
find(({space:l})=>l===o)?.money??0)+Sl}`),c.set(a,`${c.get(a)??""}£${Sl}`),m`<div class="l-tracks">
    ${Al({name:"Chapel track",kind:1,last:o,printed:i,order:e.chapelOrder,position:l=>e.seats[l]?.chapelPosition??0,moved:s("chapelAdvanced")})}
    ${Al({name:"Gate track",kind:2,last:a,printed:c,order:e.gateOrder,position:l=>e.seats[l]?.gatePosition??0,moved:s("gateAdvanced")})}</div>`}var Bp={0:"",1:"furthest on the chapel track",2:"most chapels",3:"£1 a round to the chapel leader",4:"£1 a space ahead of the last",5:"money spaces pay again",
6:"furthest on the gate track",7:"most gates",8:"£1 a round to the gate leader",9:"£3, 5, 9, 12 by distance",10:"unused tiles pay £0, 1, 4, 9, 16",11:"highes\
t sum in hand",12:"most inns",13:"£2 to the highest card",14:"£4, 7, 10 by cards in hand",15:"£5, 10, 15 for sets of cards",16:"most buildings",17:"longest s\
eries",18:"£2 a round to the lowest number",19:"£2 a number up to 30",20:"£10 a set of all six kinds"};function _p({faces:e}){let t=[["chapel",e?.chapel],["g\
ate",e?.gate],["inn",e?.inn],["bridge",e?.bridge]];return m`<dl class="l-faces">${t.map(([n,r])=>m`<div><dt>${n}</dt><dd>${Bp[r??0]}</dd></div>`)}</dl>`}function wp(e,t){
return m`<div class="l-stock">
    <figure><figcaption>Supply</figcaption><svg viewBox="0 0 226 40" role="img"
      aria-label="supply: ${e.supply.map((n,r)=>`${n} of ${r}`).slice(1).join(", ")}">
      ${e.supply.map((n,r)=>r===0?void 0:b`${mt(r,(r-1)*57,3)}
        <text x=${(r-1)*57+26} y="26" font-size="13" class=${n===0?"ink-soft":"ink"}>×${n}</text>`)}</svg></figure>
    <figure><figcaption>Bonus tiles</figcaption><svg viewBox="0 0 190 40" role="img" aria-label="bonus stacks">
      ${e.bonusStacks.map((n,r)=>b`${n.faceUp===0?b`<rect x=${r*64+1} y="2" width="36" height="36" rx="7" class="l-slot"/>`:Gr(n.faceUp,r*64,1)}
        ${t.has(r)?b`<rect x=${r*64-1} y="0" width="40" height="40" rx="9" class="new"/>`:void 0}
        <text x=${r*64+40} y="25" font-size="12" class="ink-soft">×${n.unseen.length+(n.faceUp===0?0:1)}</text>`)}</svg></figure>
    <figure><figcaption>Markers to come</figcaption><svg viewBox="0 0 156 40" role="img"
      aria-label="markers to come: ${e.unseenMarkers.map((n,r)=>`${n} of ${r+1}`).join(", ")}">
      ${e.unseenMarkers.map((n,r)=>b`<circle cx=${r*52+16} cy="20" r="13" class="l-marker"/>
        <text x=${r*52+16} y="25" text-anchor="middle" font-size="15" font-weight="700" class="l-number">${r+1}</text>
        <text x=${r*52+32} y="25" font-size="12" class="ink-soft">×${n}</text>`)}</svg></figure></div>`}function Up({turns:e,phase:t}){if(e.length===0)return;let n=t.
case==="turn"?t.value.turn:-1;return m`<ol class="l-turns" aria-label="order of play">${e.map(({seat:r,card:s,value:o},a)=>m`<li
    class=${a===n?"now":a<n?"past":""}>${W(r)}<svg viewBox="0 0 24 34" width="20" height="28" role="img"
      aria-label="card ${s}">${mt(s,0,0)}</svg>${o>s?m`<b>+${o-s}</b>`:void 0}</li>`)}</ol>`}function vl(e){let{observation:t}=e,n=new Set(e.events.flatMap(({event:r})=>r.
case==="tileTaken"?[r.value.bonusStack]:[]));return m`<div class="board london">
    <div class="panel l-middle">${El(e)}
      <div class="l-beside">
        <div class="l-round"><svg viewBox="0 0 40 40" width="40" height="40" role="img" aria-label="round marker ${t.marker}">
          <circle cx="20" cy="20" r="17" class="l-marker"/><text x="20" y="27" text-anchor="middle" font-size="20" font-weight="700" class="l-number">${t.marker}</text></svg>
          <span>round <b>${t.round}</b>, last ${t.rounds-1}</span>${Up(t)}</div>
        ${Zl(e)}${wp(t,n)}${_p(t)}</div></div>
    ${t.seats.map((r,s)=>yl(e,s,r))}</div>`}function Gl({phase:e,round:t,rounds:n,turns:r}){let s=`round ${t} of 0 to ${n-1}`;switch(e.case){case"takeA2":return`${s}\
: seat ${e.value.seat} may take a 2`;case"chooseCards":return`${s}: seats choose cards in secret`;case"raiseCards":return`${s}: seat ${e.value.seat} may raise i\
ts cards`;case"turn":{let o=r[e.value.turn]?.seat??"?",a={place:"places its pawn",replace:"replaces a building",takeTile:"takes a bonus tile",takeCards:"takes c\
ards",finish:"may use tiles"}[e.value.step.case??"finish"];return`${s}, turn ${e.value.turn}: seat ${o} ${a}`}default:return"the match is over"}}var xl=ve("old_london_bridge","oldLondonBridge",{name:"Old London Bridge",pointsName:"pounds",board:vl,status:Gl,notation:fl,toDecide({phase:e,turns:t,seats:n}){
switch(e.case){case"takeA2":case"raiseCards":return[e.value.seat];case"chooseCards":return n.flatMap((r,s)=>r.hasChosen?[]:[s]);case"turn":{let r=t[e.value.turn]?.
seat;return r===void 0?[]:[r]}default:return[]}},points:({seats:e})=>e.map(t=>t.money)});var fo=[xl,Oc,sl,gl];function H(e){return fo.find(t=>t.entry===e?.game.case)}function ho(e){let t=(Hs[e.state]??"").toLowerCase();return m`<span class="tag ${e.state===1?"live":""}">${t}</span>${e.settled?m`<span class="tag good" title="the order of the top ten holds with 95 %">✓ settled</span>`:
void 0}`}var Nr=class{#t;#e;constructor(t){ct().listLadders({pageSize:500}).then(n=>this.#t=n.ladders,n=>this.#e=D(n)).finally(t)}view(){return this.#e?.isUnsupported?
m`<main class="plain"><div class="panel empty"><h1>Ladders</h1><p>This server has no ladders.</p></div></main>`:this.#e?re(this.#e,"The ladders cannot be listed"):
this.#t?m`<main class="list"><h1>Ladders</h1>${this.#t.length===0?m`<p class="panel empty">No ladder has been made yet.</p>`:m`<ul class="cards">${this.#t.map(t=>m`<li class="panel card">
          <a class="cover" href=${We(t.ladderId)}><bdi>${v(t.ladderId)}</bdi></a>
          <p>${ho(t)}</p><p>${H(t.config?.game)?.name??""}, ${t.config?.seats??"?"} seats</p>
          <p class="quiet">${t.matches} matches${t.annulledMatches>0n?`, ${t.annulledMatches} annulled`:""}</p></li>`)}</ul>`}</main>`:z("Asking for the ladders\
…")}};var Jp=500,$p=20,Mr=class{constructor(t,n){this.ladderId=t;this.#s().catch(r=>this.#r=D(r)).finally(n)}ladderId;#t;#e=[];#n=[];#r;async#s(){let{ladderId:t}=this,
n=ct(),[r,s,o]=await Promise.all([n.getLadder({ladderId:t}),n.listStandings({ladderId:t,pageSize:Jp}),n.listLadderMatches({ladderId:t,pageSize:$p})]);[this.#t,this.#e,
this.#n]=[r.ladder,s.standings,o.matches]}view(){if(this.#r)return re(this.#r,"This ladder cannot be shown");let t=this.#t;if(!t)return z("Asking for the standi\
ngs…");let n=Xt(this.#e.map(({rating:r})=>r));return m`<main class="list"><h1><bdi>${v(t.ladderId)}</bdi> ${ho(t)}</h1>
      <p class="quiet">${H(t.config?.game)?.name??""}, ${t.config?.seats??"?"} seats; ${t.matches} matches count</p>
      <table class="standings"><thead><tr><th class="figure">Rank</th><th>Bot</th><th class="figure">Rating</th><th>Interval</th><th class="figure">Matches</th><th>State</th></tr></thead>
        <tbody>${this.#e.map(r=>m`<tr><td class="figure">${ur(r.rating)}</td>
          <th scope="row"><a href=${We(t.ladderId,r.botName)}><bdi>${v(r.botName)}</bdi></a>
            <small><bdi>${v(r.botVersion)}</bdi>${r.owner?m`, <bdi>${v(r.owner)}</bdi>`:void 0}</small></th>
          <td class="figure">${Tt(r.rating)}</td><td>${dr(r.rating,n)}</td>
          <td class="figure">${r.rating?.matches??0}</td><td>${Dp(r)}</td></tr>`)}</tbody></table>
      ${this.#n.length===0?void 0:m`<h2>Latest matches</h2><ul class="latest">${this.#n.map(({match:r})=>r&&m`<li>
        <a href=${Rt(r.matchId)}>${r.seats.map(({botName:s},o)=>m`${o>0?" · ":""}<bdi>${v(s)}</bdi>`)}</a>
        ${r.annulment?m`<span class="tag warn">annulled</span>`:void 0}</li>`)}</ul>`}</main>`}};function Dp(e){let t=(Ds[e.state]??"").toLowerCase();return m`${t&&
t!=="unspecified"?m`<span class="tag" title=${v(e.detail)}>${t.replace(/_/g," ")}</span>`:void 0}${e.isHouseBot?m`<span class="tag">house</span>`:void 0}${e.changed?
m`<span class="tag warn" title="its last 100 results do not fit its earlier ones">changed</span>`:void 0}`}var bo={waiting:1,running:2,ended:3,cancelled:4};function Vl(e){let t=e.get("label")??"",[n="",...r]=t.split("="),s=e.get("annulled");return M(Nc,{state:bo[e.get(
"state")??""]??0,gameId:e.get("game")??"",botName:e.get("bot")??"",maker:e.get("maker")??"",groupId:e.get("group")??"",labels:n===""?{}:{[n]:r.join("=")},...s===
"yes"||s==="no"?{annulled:s==="yes"}:{}})}var Kp=50,Op=5e3,Wr=class{constructor(t,n){this.query=t;this.changed=n;this.#a(),setInterval(()=>{this.#i()},Op)}query;changed;#t=[];#e=[];#n="";#r=0;#s;async#o(t){
return lr().listMatches({filter:Vl(this.query),pageSize:Kp,pageToken:t})}async#a(){try{let t=await this.#o(this.#n);this.#t.push(...t.matches),this.#e.push(...t.
damagedMatchIds),this.#n=t.nextPageToken,this.#r+=1}catch(t){this.#s=D(t)}this.changed()}async#i(){if(!(document.hidden||this.#r!==1||this.#s))try{let t=await this.#o(
"");if(this.#r!==1)return;[this.#t,this.#e,this.#n]=[t.matches,t.damagedMatchIds,t.nextPageToken],this.changed()}catch{}}view(){if(this.#s)return re(this.#s,"Th\
e matches cannot be listed");if(this.#r===0)return z("Asking for the matches…");let t=this.query.get("bot"),n=this.#t.filter(({state:s})=>s===2||s===1),r=this.#t.
filter(s=>!n.includes(s));return m`<main class="list"><h1>${t?m`Matches of <bdi>${v(t)}</bdi>`:"Matches"}</h1>${Pp(this.query)}
      ${n.length>0?m`<section aria-label="matches in play"><h2>In play</h2><ul class="cards">${n.map(zp)}</ul></section>`:void 0}
      ${r.length>0?m`<section aria-label="matches that are over"><h2>Over</h2>${jp(r)}</section>`:void 0}
      ${this.#t.length===0?m`<div class="panel empty"><p>No match ${[...this.query.values()].some(Boolean)?"fits these filters":"has been made yet"}.</p>
        <p class="quiet">Drop a replay file anywhere on this page to look at it.</p></div>`:void 0}
      ${this.#e.length>0?m`<p class="notice">The server cannot read ${this.#e.length} matches: ${this.#e.map(s=>m`<code>${v(s)}</code> `)}</p>`:void 0}
      ${this.#n?m`<p><button type="button" @click=${()=>{this.#a()}}>Older matches</button></p>`:void 0}</main>`}};function Pp(e){let t=s=>e.get(s)??"",n=(s,o,a)=>m`<label>${o}<select name=${s}>
    <option value="">any</option>${a.map(([i,c])=>m`<option value=${i} ?selected=${t(s)===i}>${c}</option>`)}</select></label>`,r=(s,o,a)=>m`<label>${o}<input name=${s} .value=${t(
s)} placeholder=${a} maxlength="300"></label>`;return m`<form class="filters" @submit=${Qp}>${n("game","Game",fo.map(({id:s,name:o})=>[s,o]))}
    ${n("state","State",Object.keys(bo).map(s=>[s,s]))}
    ${r("bot","Bot","name")}${r("label","Label","name=value")}<button type="submit">Filter</button>
    ${[...e.values()].some(Boolean)?m`<a href="/">all</a>`:void 0}</form>`}function Qp(e){e.preventDefault();let t=new URLSearchParams;for(let[n,r]of new FormData(
e.currentTarget))typeof r=="string"&&r!==""&&t.set(n,r);location.assign(`/?${t}`)}function Il(e){return H(e.config?.game)?.name??"an unknown game"}function Nl(e){
return m`<ul class="bots">${e.seats.map(({seat:t,botName:n,reservedFor:r})=>{let s=e.result?.seats.find(o=>o.seat===t);return m`<li class=${s?.place===1?"first":
""}>${W(t)} ${n?m`<a href=${Oe(n)}><bdi>${v(n)}</bdi></a>`:m`<i>${r?m`for <bdi>${v(r)}</bdi>`:"no bot yet"}</i>`}
      ${s?m`<b class="score" title="place ${s.place}">${s.score}</b>${s.faultCount>0?m`<span class="tag warn">${s.faultCount} ${s.faultCount===1?"fault":"faults"}</span>`:
void 0}`:void 0}</li>`})}</ul>`}function Ml(e){let t=Object.entries(e.labels);if(t.length!==0)return m`<div class="labels">${t.map(([n,r])=>m`<a class="tag" href="/?${new URLSearchParams(
{label:`${n}=${r}`})}"><bdi>${v(n)}=${v(r)}</bdi></a>`)}</div>`}function zp(e){return m`<li class="panel card"><a class="cover" href=${Rt(e.matchId)}>${Il(e)}</a>
    <p>${e.state===2?m`<span class="tag live">live</span>`:m`<span class="tag">waits for bots</span>`}
      <span class="quiet">${e.decisions} decisions</span></p>${Nl(e)}${Ml(e)}</li>`}function Hp(e){if(e===0n)return;let t=new Date(Number(e));return m`<time datetime=${t.
toISOString()}>${t.toLocaleString([],{dateStyle:"medium",timeStyle:"short"})}</time>`}function jp(e){return m`<table class="matches"><thead><tr><th>Game</th><th>Bots and scores</th><th class="figure">Decisions</th><th>Ended</th></tr></thead><tbody>${e.
map(t=>m`<tr>
    <th scope="row"><a href=${Rt(t.matchId)}>${Il(t)}</a>${t.state===4?m` <span class="tag warn">cancelled</span>`:void 0}${t.annulment?m` <span class="tag warn">annulled</span>`:
void 0}</th>
    <td>${Nl(t)}${Ml(t)}</td><td class="figure">${t.decisions}</td><td>${Hp(t.endedUnixMs||t.createdUnixMs)}</td></tr>`)}</tbody></table>`}var Yl=[["← →","previous and next decision"],["Home End","first and last position"],["Space","play and pause"],["+ −","faster and slower"],["N P","next an\
d previous decision of the same seat"],["J K","next and previous fault"],["1 … 6","view as seat 0 … 5"],["0 Esc","view as a spectator"],["?","this help"]];function qp(e,t){
return e instanceof Element?e.closest("input, select, textarea, [contenteditable]")?!0:(t===" "||t==="Enter")&&e.closest("button, a, summary")!==null:!1}function Wl(e,t){
if(t.ctrlKey||t.altKey||t.metaKey||qp(t.target,t.key))return;let n=e.seat??e.record.positions[e.index]?.played?.seat,r={ArrowLeft:()=>e.goTo(e.index-1),ArrowRight:()=>e.
goTo(e.index+1),Home:()=>e.goTo(0),End:()=>e.goTo(e.last)," ":()=>e.togglePlaying(),"+":()=>e.changeSpeed(1),"-":()=>e.changeSpeed(-1),n:()=>n!==void 0&&e.goToSeat(
n,1),p:()=>n!==void 0&&e.goToSeat(n,-1),j:()=>e.goToFault(1),k:()=>e.goToFault(-1),0:()=>e.viewAs(void 0),Escape:()=>e.showsHelp?e.toggleHelp():e.viewAs(void 0),
"?":()=>e.toggleHelp()},s=/^[1-6]$/.test(t.key)?()=>e.viewAs(Number(t.key)-1):r[t.key.length===1?t.key.toLowerCase():t.key];s&&(t.preventDefault(),s())}var tg=6,ng=4,rg=3,sg=1;function og({played:e,faults:t}){if(!e)return;let{seat:n,charge:r,decidedBy:s}=e,o=a=>Number(a??0n)/1e3;return{seat:n,chargedMs:o(r?.chargedUs),
creditMs:o(r?.creditUs),lagMs:o(r?.refereeLagUs),isSubstituted:s===3,isLate:t.some(a=>a.seat===n&&a.fault?.reason===2)}}function Pt(e){return(Ks[e??0]??"unknown").
toLowerCase().replace(/_/g," ")}function ue(e){if(e<10)return`${Math.round(e*10)/10} ms`;if(e<1e3)return`${Math.round(e)} ms`;if(e<6e4)return`${Math.round(e/100)/
10} s`;let t=Math.floor(e/1e3),[n,r]=[Math.floor(t/3600),Math.floor(t/60)%60],s=o=>String(o).padStart(2,"0");return n>0?`${n}:${s(r)}:${s(t%60)}`:`${r}:${s(t%60)}`}
function Fl(e,t,n){return[...e].sort((r,s)=>t(s)-t(r)).slice(0,n)}function Cl(e,t){let n=e.map(og),r=e.map(({observations:[u]})=>t&&u?t.points(u):[]),s=e.flatMap(
({faults:u},p)=>u.map(({seat:f,fault:g})=>({index:p,kind:"fault",seat:f,text:`seat ${f}: fault, ${Pt(g?.reason)}`}))),o=r.flatMap((u,p)=>{let f=r[p-1];return f?
u.map((g,h)=>({index:p,seat:h,gain:g-(f[h]??0)})).filter(({gain:g})=>g>0):[]}),a=o.reduce((u,{gain:p})=>u+p,0)/Math.max(1,o.length);for(let{index:u,seat:p,gain:f}of Fl(
o.filter(g=>g.gain>a),g=>g.gain,tg))s.push({index:u,kind:"jump",seat:p,text:`seat ${p}: +${f} ${t?.pointsName??"points"}`});let i=n.flatMap(u=>u?[u.chargedMs]:[]).
sort((u,p)=>u-p),c=Math.max(sg,rg*(i[Math.floor(i.length/2)]??0)),l=n.flatMap((u,p)=>u&&u.chargedMs>=c?[{think:u,index:p}]:[]);for(let{think:u,index:p}of Fl(l,f=>f.
think.chargedMs,ng))s.push({index:p,kind:"think",seat:u.seat,text:`seat ${u.seat} thought ${ue(u.chargedMs)}`});return s.sort((u,p)=>u.index-p.index),{thinks:n,
points:r,marks:s}}var ag=350,Fr=class{constructor(t,n,r){this.record=t;this.mark=n;this.changed=r;let s=rn(n==="?"?location.search:location.hash);this.#e=s.at,this.seat=s.seat,this.
speed=s.speed,this.follows=t.isLive&&s.at===void 0,this.#a()}record;mark;changed;index=0;seat;speed;isPlaying=!1;showsHelp=!1;follows;notice="";#t;#e;#n;#r=!1;#s;#o=-1;get last(){
return Math.max(0,this.record.positions.length-1)}get timeline(){return(!this.#s||this.#o!==this.record.version)&&(this.#s=Cl(this.record.positions,this.record.
game),this.#o=this.record.version),this.#s}grew(){this.follows&&(this.index=this.last),this.#a(),this.changed()}#a(){this.#e!==void 0&&(this.index=this.record.indexOf(
this.#e),this.record.positions[this.index]?.number===this.#e&&(this.#e=void 0))}goTo(t){this.#e=void 0,this.index=Math.min(this.last,Math.max(0,Math.round(t))),
this.follows=this.record.isLive&&this.index===this.last,this.#c(),this.changed()}goToSeat(t,n){for(let r=this.index+n;r>0&&r<=this.last;r+=n)if(this.record.positions[r]?.
played?.seat===t)return this.goTo(r)}goToFault(t){let n=this.timeline.marks.filter(({kind:s})=>s==="fault").map(({index:s})=>s),r=t>0?n.find(s=>s>this.index):n.
findLast(s=>s<this.index);r!==void 0&&this.goTo(r)}get canViewSeats(){return this.record.hasSeatViews&&this.record.positions.some(({observations:t})=>t.length>1)}viewAs(t){
t!==void 0&&(!this.canViewSeats||t>=this.record.seats)||(this.seat=t,this.#c(),this.changed())}setSpeed(t){this.speed=t,this.#c(),this.isPlaying&&this.#i(),this.
changed()}changeSpeed(t){let n=Ke.findIndex(s=>s===this.speed),r=Ke[n+t];r!==void 0&&this.setSpeed(r)}togglePlaying(){this.isPlaying=!this.isPlaying,this.isPlaying?
(this.index>=this.last&&!this.record.isLive&&this.goTo(0),this.#i()):clearInterval(this.#t),this.changed()}#i(){clearInterval(this.#t),this.#t=setInterval(()=>{
this.index<this.last?this.goTo(this.index+1):this.record.isLive||this.togglePlaying()},1e3/this.speed)}toggleHelp(){this.showsHelp=!this.showsHelp,this.changed()}look(t=this.
index){let n=this.record.isLive?t===this.last&&this.follows:t===0,r=this.record.positions[t]?.number;return{at:n?void 0:r,seat:this.seat,speed:this.speed}}href(t){
return`${this.mark}${Ur({...this.look(),at:this.record.positions[t]?.number})}`}#c(){if(this.#n!==void 0){this.#r=!0;return}this.#r=!1,this.#n=setTimeout(()=>{this.#n=
void 0,this.#r&&this.#c()},ag);let t=Ur(this.look()),n=t===""?this.mark==="?"?location.pathname:"#":`${this.mark}${t}`;history.replaceState(history.state,"",n)}close(){
clearInterval(this.#t),clearTimeout(this.#n)}};var _e=class{info;positions=[];hasSeatViews;version=0;constructor(t,n){this.hasSeatViews=t,this.info=n}take(t){if(t.match){let r=t.match.config??this.info?.config;
this.info=t.match,r&&(this.info.config=r)}this.version+=1;let{position:n}=t;n&&n.number>=this.next&&this.positions.push(n)}replaceBy(t){this.info=t.info,this.positions=
t.positions,this.hasSeatViews=t.hasSeatViews,this.version+=1}get next(){let t=this.positions.at(-1);return t?t.number+1:0}get isLive(){let t=this.info?.state;return t===
1||t===2}indexOf(t){let n=this.positions.findLastIndex(r=>r.number<=t);return Math.max(0,n)}observation(t,n){let r=this.positions[t]?.observations;return(n!==void 0&&
this.hasSeatViews?r?.[n+1]:void 0)??r?.[0]}get game(){return H(this.info?.config?.game)??H(this.positions[0]?.observations[0])}get seats(){return this.info?.config?.
seats||this.info?.seats.length||this.positions[0]?.bankLeftMs.length||0}name(t){let{info:n}=this;return n?.seats.find(s=>s.seat===t)?.botName||n?.result?.seats.
find(s=>s.seat===t)?.botName||""}};var we={ATTRIBUTE:1,CHILD:2,PROPERTY:3,BOOLEAN_ATTRIBUTE:4,EVENT:5,ELEMENT:6},Cr=e=>(...t)=>({_$litDirective$:e,values:t}),gt=class{constructor(t){}get _$AU(){return this.
_$AM._$AU}_$AT(t,n,r){this._$Ct=t,this._$AM=n,this._$Ci=r}_$AS(t,n){return this.update(t,n)}update(t,n){return this.render(...n)}};var ig={},Ue=Cr(class extends gt{constructor(){super(...arguments),this.ot=ig}render(e,t){return t()}update(e,[t,n]){if(Array.isArray(t)){if(Array.isArray(this.
ot)&&this.ot.length===t.length&&t.every((r,s)=>r===this.ot[s]))return U}else if(this.ot===t)return U;return this.ot=Array.isArray(t)?Array.from(t):t,this.render(
t,n)}});function yo({seat:e,notation:t}){return t===""?`seat ${e} decided`:`seat ${e}: ${v(t)}`}function Eo(e){switch(e){case 2:return"forced";case 3:return"by the hous\
e";case 4:return"from the replay";default:return""}}function cg(e,t,n){let{played:r,lines:s,faults:o}=t,a=Eo(r?.decidedBy);return m`<li data-index=${n}><a href=${e.
href(n)} @click=${i=>{i.ctrlKey||i.metaKey||i.shiftKey||(i.preventDefault(),e.goTo(n))}}><span class="number">${t.number}</span>${r?m`${W(r.seat)}<span class="line decision">${yo(
r)}</span>${a?m` <small>${a}</small>`:void 0}`:m`<span class="line beginning">beginning</span>`}</a>
    ${o.length+s.length===0?void 0:m`<ul>${o.map(({seat:i,fault:c})=>m`<li class="fault">seat ${i}: fault ${Pt(c?.reason)},
      costs ${(Os[c?.action??0]??"").toLowerCase()}: <bdi>${v(c?.detail??"")}</bdi></li>`)}${s.map(i=>m`<li class="event">${v(i)}</li>`)}</ul>`}</li>`}function Ll(e){
let{record:t}=e,n=Ue([t.version,e.seat,e.speed,t.isLive],()=>t.positions.map((r,s)=>cg(e,r,s)));return m`<section class="panel transcript" aria-label="transcript"><h2>Transcript</h2>${t.
isLive?m`<div class="scroll" role="log" aria-live="polite" tabindex="0" aria-label="what happens"><ol>${n}</ol></div>`:m`<div class="scroll" role="region" tabindex="0" aria-label="what happened"><ol>${n}</ol></div>`}</section>`}
function kl(e,t){let n=e.querySelector(".transcript .scroll"),r=e.querySelector('.transcript [aria-current="step"]'),s=e.querySelector(`.transcript li[data-inde\
x="${t}"] > a`);if(r!==s&&(r?.removeAttribute("aria-current"),s?.setAttribute("aria-current","step")),!n||!s||r===s)return;let[o,a]=[n.getBoundingClientRect(),s.
getBoundingClientRect()];(a.top<o.top||a.bottom>o.bottom-40)&&(n.scrollTop+=a.top-o.top-o.height/3)}var de=40,Lr=120;function Ro(e,t){return t<=0?0:Math.sqrt(e/t)*(de-6)}function Qt(e,t,n){let r="";return e.forEach((s,o)=>{if(s?.seat!==t)return;let[a,i]=n(s);i>
a&&(r+=`M${o} ${(de-a).toFixed(1)}V${(de-i).toFixed(1)}`)}),r}function lg(e,t,n){let{thinks:r}=e.timeline,s=u=>Ro(u.chargedMs-u.lagMs,n),o=u=>Ro(u.chargedMs,n),
a=u=>Ro(u.chargedMs+u.creditMs,n),i=e.record.positions.map(({bankLeftMs:u})=>u[t]??0),c=Math.max(1,...i),l=i.map((u,p)=>`${p===0?"M":"L"}${p} ${(de-2-u/c*(de-6)).
toFixed(1)}`);return b`<g class=${j(t)}>
    <path d="M0 ${de}H${Math.max(1,e.last)}" class="axis"/>
    <path d=${Qt(r,t,u=>[0,s(u)])} class="think"/>
    <path d=${Qt(r,t,u=>[s(u),o(u)])} class="think-lag"/>
    <path d=${Qt(r,t,u=>[o(u),a(u)])} class="think-credit"/>
    <path d=${Qt(r,t,u=>u.isLate?[0,de]:[0,0])} class="think-late"/>
    <path d=${Qt(r,t,u=>u.isSubstituted?[0,de/3]:[0,0])} class="think-house"/>
    <path d=${l.join("")} class="bank"/></g>`}function ug(e){let t=e.timeline.points,n=t.flat(),[r,s]=[Math.min(0,...n),Math.max(1,...n)],o=a=>(Lr-4-(a-r)/(s-r)*
(Lr-10)).toFixed(1);return Array.from({length:e.record.seats},(a,i)=>{let c=t.map((l,u)=>`${u===0?"M":"H"}${u}${u===0?" ":"V"}${o(l[i]??0)}`);return b`<path d=${c.
join("")} class="score-line ${j(i)} dash-${i}"/>`})}function Xl(e){return t=>{let n=t.currentTarget.getBoundingClientRect();e.goTo((t.clientX-n.left)/n.width*e.
last)}}function Tl(e,t){return b`<path d="M${e.index} 0V${t}" class="cursor"/>`}function Bl(e){let{record:t,last:n}=e,r=Math.max(1,n),s=Array.from({length:t.seats},
(l,u)=>u),{thinks:o}=e.timeline,a=Math.max(0,...o.map(l=>l?l.chargedMs+l.creditMs:0)),i=e.timeline.points[e.index]??[],c=[t.version,t.seats];return m`<section class="panel charts" aria-label="charts">
    <h2>Time to think <small>bars: charged <i class="key think-key"></i>, server’s lag <i class="key lag-key"></i>, credited <i class="key credit-key"></i>;
      late <i class="key late-key"></i>, by the house <i class="key house-key"></i>; line: bank left. Longest ${ue(a)}</small></h2>
    ${s.map(l=>m`<div class="strip">${W(l)}<svg viewBox="0 0 ${r} ${de}" preserveAspectRatio="none" role="img"
        aria-label="time of seat ${l}" @click=${Xl(e)}>${Ue(c,()=>lg(e,l,a))}${Tl(e,de)}</svg>
        <span class="now">${ue(t.positions[e.index]?.bankLeftMs[l]??0)}</span></div>`)}
    <h2>${t.game?.pointsName??"points"} by decision</h2>
    <div class="strip"><span class="badge"></span><svg class="score" viewBox="0 0 ${r} ${Lr}" preserveAspectRatio="none" role="img" aria-label="points by decision"
      @click=${Xl(e)}>${Ue(c,()=>ug(e))}${Tl(e,Lr)}</svg>
      <ul class="now">${s.map(l=>m`<li>${W(l)}${i[l]??0}</li>`)}</ul></div></section>`}var{I:uZ}=To;var _l=e=>e.strings===void 0;var dg={},wl=(e,t=dg)=>e._$AH=t;var Ul=Cr(class extends gt{constructor(e){if(super(e),e.type!==we.PROPERTY&&e.type!==we.ATTRIBUTE&&e.type!==we.BOOLEAN_ATTRIBUTE)throw Error("The `live` directi\
ve is not allowed on child or event bindings");if(!_l(e))throw Error("`live` bindings can only contain a single expression")}render(e){return e}update(e,[t]){if(t===
U||t===C)return t;let n=e.element,r=e.name;if(e.type===we.PROPERTY){if(t===n[r])return U}else if(e.type===we.BOOLEAN_ATTRIBUTE){if(!!t===n.hasAttribute(r))return U}else if(e.
type===we.ATTRIBUTE&&n.getAttribute(r)===t+"")return U;return wl(e),t}});var mg={first:"M5 5H7.5V19H5ZM19 5V19L8.5 12Z",previous:"M16 5V19L6 12Z",play:"M7 4.5V19.5L19.5 12Z",pause:"M6 5H10.5V19H6ZM13.5 5H18V19H13.5Z",next:"M8 5V19L18\
 12Z",last:"M16.5 5H19V19H16.5ZM5 5V19L15.5 12Z"};function zt(e,t,n,r=!1){return m`<button type="button" class="icon" aria-label=${t} title=${t} ?disabled=${r} @click=${n}>
    <svg viewBox="0 0 24 24" aria-hidden="true"><path d=${mg[e]} fill="currentColor"/></svg></button>`}function pg({kind:e}){return e==="fault"?"M-4-4L4 4M4-4L-\
4 4":e==="jump"?"M-4.5 4L0-4L4.5 4Z":"M0-4.5A4.5 4.5 0 1 1-0.01-4.5Z"}function gg(e){let t=Math.max(1,e.last);return m`<svg class="marks" width="100%" height="14" aria-hidden="true">${e.
timeline.marks.map(n=>b`<svg
    x="${n.index/t*100}%" overflow="visible" class="scrub-mark mark-${n.kind}" @click=${()=>e.goTo(n.index)}>
    <title>decision ${e.record.positions[n.index]?.number??0}: ${n.text}</title>
    <rect x="-7" width="14" height="14" fill="transparent"/><path transform="translate(0 7)" d=${pg(n)}/></svg>`)}</svg>`}function Jl(e){let{index:t,last:n,record:r,
isPlaying:s}=e,o=r.positions[t],a=o?.number??0,i=r.positions.at(-1)?.number??0,c=o?.played?`decision ${a} of ${i}: ${yo(o.played)}`:`beginning, ${i} decisions`;
return m`<div class="controls" role="group" aria-label="position">
    <div class="scrub">${gg(e)}<input type="range" min="0" max=${n} .value=${Ul(String(t))} aria-label="position"
      aria-valuetext=${c} @input=${l=>e.goTo(Number(l.target.value))}></div>
    <div class="buttons">
      ${zt("first","first position",()=>e.goTo(0),t===0)}
      ${zt("previous","previous decision",()=>e.goTo(t-1),t===0)}
      ${zt(s?"pause":"play",s?"pause":"play",()=>e.togglePlaying())}
      ${zt("next","next decision",()=>e.goTo(t+1),t>=n)}
      ${zt("last",r.isLive?"newest position, and follow":"last position",()=>e.goTo(n),t>=n)}
      <output class="count"><b>${a}</b> / ${i}</output>
      <label class="speed"><span>speed</span><select aria-label="decisions a second" @change=${l=>e.setSpeed(Number(l.target.value))}>${Ke.map(l=>m`<option value=${l} ?selected=${l===
e.speed}>${l}/s</option>`)}</select></label>
      <button type="button" class="text" title="keyboard" aria-expanded=${e.showsHelp} @click=${()=>e.toggleHelp()}>?<span class="wide"> keys</span></button>
    </div></div>`}var fg=200;function hg(e){let t=e.record.positions[e.index]?.played,{game:n}=e.record;if(!t||!n)return m``;let r=t.legalDecisions.map(a=>n.notation(a)),s=r.indexOf(
t.notation),o=r.map((a,i)=>({name:a,place:i})).filter(({place:a})=>a<fg||a===s);return m`<p>${r.length} legal${t.legalDecisionsCut?", and more that are not list\
ed":""}${s>=0?m`; chosen: number <b>${s}</b>`:void 0}</p>
    <ol class="legal">${o.map(({name:a,place:i})=>m`<li class=${i===s?"chosen":""} value=${i}>${i===s?m`<b>${a}</b> ✓`:a}</li>`)}</ol>
    ${o.length<r.length?m`<p class="quiet">and ${r.length-o.length} more</p>`:void 0}`}function $l(e){let t=e.record.positions[e.index],n=t?.played;if(!n)return m`<section class="panel inspector" aria-label="decision"><h2>Decision</h2><p class="quiet">The beginning of the match.</p></section>`;
let{charge:r}=n,s=Eo(n.decidedBy),o=i=>ue(Number(i)/1e3),a=n.legalDecisions.length;return m`<section class="panel inspector" aria-label="decision"><h2>Decision ${t.
number}</h2>
    <p class="chosen-now">${W(n.seat)} <b>${n.notation===""?"decided":v(n.notation)}</b>${s?m` <span class="tag">${s}</span>`:void 0}</p>
    ${r?m`<dl><div><dt>charged</dt><dd>${o(r.chargedUs)}</dd></div><div><dt>elapsed</dt><dd>${o(r.elapsedUs)}</dd></div>
      <div><dt>credit</dt><dd>${o(r.creditUs)}</dd></div>${r.refereeLagUs>0n?m`<div><dt>server’s lag</dt><dd>${o(r.refereeLagUs)}</dd></div>`:void 0}</dl>`:void 0}
    ${n.note?m`<blockquote><bdi>${v(n.note)}</bdi></blockquote>`:void 0}
    ${a>0?m`<details><summary>what was legal</summary>${Ue([e.index,e.record.version],()=>hg(e))}</details>`:void 0}
    <h3>what changed</h3>${t.lines.length===0?m`<p class="quiet">nothing that shows</p>`:m`<ul class="changes">${t.lines.map(i=>m`<li>${v(i)}</li>`)}</ul>`}</section>`}var bg={0:"",1:"no bot yet",2:"",3:"stream lost",4:"forfeited"};function yg(e,t,n){let{record:r}=e,s=r.info?.seats.find(p=>p.seat===t),o=r.info?.result?.seats.find(
p=>p.seat===t),a=r.name(t),i=s?.botVersion||o?.botVersion,c=r.positions[e.index]?.bankLeftMs[t],l=r.isLive?bg[s?.state??0]:o?.forfeit?`forfeited: ${Pt(o.forfeit)}`:
"",u=!r.isLive&&e.index===e.last;return m`<li class=${n.includes(t)?"decides":""}>
    <div class="who">${W(t)}<span class="name">${a===""?m`<i>seat ${t}</i>`:e.mark==="?"?m`<a href=${Oe(a)}><bdi>${v(a)}</bdi></a>`:m`<bdi>${v(a)}</bdi>`}${i?m` <small><bdi>${v(
i)}</bdi></small>`:void 0}</span>
      ${n.includes(t)?m`<span class="tag">to decide</span>`:void 0}
      ${u&&o?m`<span class="place place-${o.place}">place ${o.place}</span>`:void 0}</div>
    <div class="facts"><span><b>${u&&o?o.score:e.timeline.points[e.index]?.[t]??0}</b> ${u&&o?"final score":r.game?.pointsName??"points"}</span>
      ${c===void 0?void 0:m`<span title="time left in the bank">${ue(c)} left</span>`}
      ${l?m`<span class="tag warn">${l}</span>`:void 0}${s&&s.strikes>0?m`<span class="tag warn">${s.strikes} strikes</span>`:void 0}
      <span class="acts"><button type="button" class="small" aria-pressed=${e.seat===t} ?disabled=${!e.canViewSeats}
        title=${e.canViewSeats?`see what seat ${t} saw`:"shown when the match is over"} @click=${()=>e.viewAs(e.seat===t?void 0:t)}>view as</button>
      <button type="button" class="small" aria-label="previous decision of seat ${t}" title="previous decision of seat ${t}" @click=${()=>e.goToSeat(t,-1)}>◂</button>
      <button type="button" class="small" aria-label="next decision of seat ${t}" title="next decision of seat ${t}" @click=${()=>e.goToSeat(t,1)}>▸</button></span></div>
    ${u&&o&&o.breakdown.length>0?m`<details class="breakdown"><summary>score</summary><dl>${o.breakdown.map(p=>m`<div><dt>${v(p.category).replace(/_/g," ")}</dt><dd>${p.
points}</dd></div>`)}</dl></details>`:void 0}</li>`}function Dl(e,t){let n=Array.from({length:e.record.seats},(r,s)=>s);return m`<section class="panel seats" aria-label="seats"><h2>Seats</h2><ul>${n.
map(r=>yg(e,r,t))}</ul></section>`}function Eg(e){let{info:t}=e.record;switch(t?.state){case 1:return m`<span class="tag">waits for bots</span>`;case 2:return m`<span class="tag live">live</span>`;case 4:
return m`<span class="tag warn">cancelled</span>`;default:return m`<span class="tag">${t?.annulment?"annulled":"ended"}</span>`}}function Rg(e,t){let{record:n}=e,
{info:r}=n,s=n.positions[e.index];return m`<header class="match-head"><div><h1>${n.game?.name??"A match"}</h1>${Eg(e)}
      <span class="id quiet"><bdi>${v(r?.matchId??"")}</bdi></span></div>
    <p class="status" aria-live=${n.isLive?"polite":"off"}>${t}${s?m`<span class="quiet"> · ${ue(Number(s.atMs))} after the start</span>`:void 0}</p>
    ${e.notice?m`<p class="notice" role="status">${e.notice}</p>`:void 0}
    ${r?.cancellation?m`<p class="notice">Cancelled: <bdi>${v(r.cancellation.reason)}</bdi></p>`:void 0}
    ${r?.annulment?m`<p class="notice">Annulled: <bdi>${v(r.annulment.detail)}</bdi></p>`:void 0}</header>`}function Sg(e){return m`<div class="help" role="dialog" aria-modal="false" aria-label="keyboard"><div class="panel"><h2>Keyboard</h2><dl>${Yl.
map(([t,n])=>m`<div><dt>${t.split(" ").map(r=>m`<kbd>${r}</kbd> `)}</dt><dd>${n}</dd></div>`)}</dl><p class="quiet">On a touch screen, swipe the board to the left or right.</p>
    <button type="button" class="text" @click=${()=>e.toggleHelp()}>close</button></div></div>`}function Ag(e){let{record:t,index:n}=e,r=t.observation(n,e.seat),
s=H(r);return!r||!s?m`<p class="panel quiet empty">${t.positions.length>0?"This page does not know the game; the transcript tells what happened.":"The match has\
 not begun."}</p>`:s.board({observation:r,config:t.info?.config?.game,events:t.positions[n]?.events??[],frame:t.isLive?void 0:Zg(e,s,r),names:Array.from({length:t.
seats},(o,a)=>t.name(a))})}function Zg(e,t,n){return e.record.positions.findLast(({observations:[s]})=>s!==void 0&&s.game.case===n.game.case&&t.goesOnTo(n,s))?.
observations[0]}function Kl(e){let{record:t,index:n}=e,r=t.observation(n,e.seat),s=H(r),o=r&&s?s.status(r):t.isLive?"waits for bots":"",a=r&&s?s.toDecide(r):[];
return m`<main class="match">${Rg(e,o)}
    <div class="stage"><section aria-label="board" @touchstart=${Je.start} @touchend=${i=>Je.end(e,i)}>
      ${e.seat!==void 0&&e.canViewSeats?m`<p class="eyes">what seat ${e.seat} knew <button type="button" class="small" @click=${()=>e.viewAs(void 0)}>all viewers</button></p>`:
void 0}
      ${Ag(e)}</section>${Jl(e)}${Bl(e)}</div>
    <aside aria-label="details">${Dl(e,a)}${$l(e)}${Ll(e)}</aside>
    ${e.showsHelp?Sg(e):void 0}</main>`}var vg=50,Je={from:void 0,start(e){Je.from=e.touches.length===1?e.touches[0]:void 0},end(e,t){let n=t.changedTouches[0];
if(!Je.from||!n)return;let[r,s]=[n.clientX-Je.from.clientX,n.clientY-Je.from.clientY];Math.abs(r)>vg&&Math.abs(r)>2*Math.abs(s)&&e.goTo(e.index+(r<0?1:-1)),Je.from=
void 0}};function Ol(e){document.addEventListener("dragover",t=>{t.dataTransfer?.types.includes("Files")&&t.preventDefault()}),document.addEventListener("drop",t=>{let n=t.
dataTransfer?.files[0];n&&(t.preventDefault(),e(n))}),document.addEventListener("change",t=>{let n=t.target;if(!(n instanceof HTMLInputElement)||!n.matches("[da\
ta-open-replay]"))return;let r=n.files?.[0];n.value="",r&&e(r)})}var Pl=500,Gg=15e3;function xg(e){let t=(n,r)=>M(qs,{seat:r});return[M(qs,{}),...Array.from({length:e},t)]}async function Vg(e,t,n){let r=async s=>{let o={case:"\
matchId",value:t.info?.matchId??""};for await(let a of e.watchPositions({source:o,viewers:s,fromDecision:t.next}))t.take(a),n()};try{await r(xg(t.seats))}catch(s){
if(D(s).mayPass||t.positions.length>0)throw s;t.hasSeatViews=!1,await r([])}}async function Ig(e,t,n){let r=new AbortController,s=()=>document.hidden&&r.abort();
document.addEventListener("visibilitychange",s);try{let o={case:"matchId",value:t.info?.matchId??""};for await(let a of e.watchPositions({source:o,fromDecision:t.
next},{signal:r.signal}))t.take(a),n()}catch(o){if(!r.signal.aborted)throw o}finally{document.removeEventListener("visibilitychange",s)}}async function Ql(e,t){
let n=lr(),{match:r}=await n.getMatch({matchId:e}),s=new _e(r?.state===3,r);t.opened(s);let o=Pl,a=()=>{o=Pl,t.notice(""),t.grew()};for(;;){await Ng();try{if(s.
info?.state===4)return;if(s.hasSeatViews||!s.isLive){let i=s.hasSeatViews?s:new _e(!0,s.info);return await Vg(n,i,i===s?a:()=>{}),i!==s&&s.replaceBy(i),a()}if(await Ig(
n,s,a),s.info=(await n.getMatch({matchId:e})).match??s.info,a(),!s.isLive)continue}catch(i){let c=D(i);if(!c.mayPass)throw i;t.notice(`The connection is lost (${c.
text}); it is tried again.`)}document.hidden||(await new Promise(i=>setTimeout(i,o)),o=Math.min(Gg,o*2))}}function Ng(){return document.hidden?new Promise(e=>{let t=()=>{
document.hidden||(document.removeEventListener("visibilitychange",t),e())};document.addEventListener("visibilitychange",t)}):Promise.resolve()}var zl=document.getElementById("page")??document.body,Ao=()=>z("…"),ft="",O,So=!1;function $e(){So||(So=!0,requestAnimationFrame(()=>{So=!1,Bo(Yg?Ao():Xc(Ao(),
ft),zl),O&&kl(zl,O.index)}))}function se(e){Ao=e,$e()}function vo(e,t){O?.close();let n=new Fr(e,t,$e);return O=n,document.title=`${e.game?.name??"Match"} · Bri\
dgemaster`,se(()=>Kl(n)),n}function Mg(e){return Hl(ir(e))}function Hl(e){let t=new _e(!0);for(let n of e)t.take(n);return t}var Zo=document.getElementById("pos\
itions"),Yg=Zo!==null;async function Wg(e){se(()=>z(`The server verifies ${v(e.name)}…`));try{let t=Hl(await kc(e));history.pushState(null,"","/replay"),ft="",
vo(t,"?")}catch(t){let n=t instanceof Error?t.message:String(t);se(()=>re({text:n,needsKey:!1,isUnsupported:!1,mayPass:!1},"This file cannot be opened"))}}async function Fg(e){
let t;try{await Ql(e,{opened:n=>t=vo(n,"?"),grew:()=>t?.grew(),notice:n=>{t&&t.notice!==n&&(t.notice=n,$e())}})}catch(n){let r=D(n);O?.close(),O=void 0,se(()=>re(
r,"This match cannot be shown"))}}function Cg(e){switch(e.page){case"matches":{ft="matches";let t=new Wr(e.query,$e);return se(()=>t.view())}case"match":return Fg(
e.matchId),se(()=>z("Asking for the match…"));case"replay":return se(()=>m`<main class="plain"><div class="panel empty"><h1>Open a replay</h1>
        <p>Drop a replay file on this page, or choose one above. The server verifies it and plays it again.</p></div></main>`);case"ladders":{ft="ladders";let t=new Nr(
$e);return se(()=>t.view())}case"ladder":{ft="ladders";let t=new Mr(e.ladderId,$e);return se(()=>t.view())}case"ladder-bot":{ft="ladders";let t=new mr(e.ladderId,
e.botName,$e);return se(()=>t.view())}case"unknown":return se(()=>m`<main class="plain"><div class="panel empty"><h1>There is no such page</h1><p><a href="/">All matches</a></p></div></main>`)}}
document.addEventListener("keydown",e=>{O&&Wl(O,e)});Zo?(vo(Mg(Wc(Zo.textContent??"")),"#"),window.addEventListener("hashchange",()=>{let e=rn(location.hash).at;
O&&e!==void 0&&O.record.positions[O.index]?.number!==e&&O.goTo(O.record.indexOf(e))})):(Ol(e=>{Wg(e)}),window.addEventListener("popstate",()=>location.reload()),
Cg(Uo(location.pathname,location.search)));})();
