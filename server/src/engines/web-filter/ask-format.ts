// What the proxy asks with; ask-line.ts reads it.

/**
 * The fields after the channel id, in this order, as a line `external_acl_type` has to name them. The proxy prints `-` for a
 * field without value and escapes spaces and what is not printable; it does not escape `%`.
 */
export const askFormat = [
  '%DATA',
  '%>a',
  '%>la',
  '%>lp',
  '%ssl::>sni',
  '%>rm',
  '%>ru',
  '%{Content-Type}>h',
  '%{Content-Type}<h',
  '%{Accept-Language}>h',
  '%{Content-Length}>h',
  '%lp',
  '%{clt_conn_tag}note',
  // How the proxy sends the reply on.
  '%rv',
  '%<Hs',
  '%{Content-Length}<h',
  '%{Range}>h',
].join(' ')
