// The line that the proxy writes for each request; domain/web-filter/access-line.ts reads it.

/** One JSON object a line; everything that a client or a server chose is with `%#`, which leaves no quote. */
export const accessFormat = [
  '{"t":%ts.%03tu,"ms":%tr,"src":"%>a","dst":"%>la","port":"%>lp","via":"%{via}note","user":"%#{user}note",',
  '"uid":"%#{uid}note","st":%>Hs,"in":%>st,"out":%<st,"m":"%#rm","u":"%#ru","sni":"%#ssl::>sni","mode":"%ssl::bump_mode",',
  '"tls":"%#{clt_conn_tag}note","v":"%{v_REQ}note","vr":"%{v_REP}note","vt":"%{v_TLS}note","rule":"%{rule}note",',
  '"cat":"%#{cat}note","why":"%{why}note","ct":"%#mt","ua":"%#{User-Agent}>h","ref":"%#{Referer}>h",',
  '"words":"%#{X-Filter-Words}adapt::<last_h","virus":"%#{X-Infection-Found}adapt::<last_h","err":"%err_code"}',
].join('')
