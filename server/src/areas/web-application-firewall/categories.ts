// Categories of rules: the files of the OWASP Core Rule Set 3.3, which is the rule set of the Debian package.

import type { Category } from './contract.ts'

const category = (id: string, title: string, description: string, required = false): Category => ({
  id,
  title,
  required,
  description,
})

/** The required ones set the rule set up and act on what the others find; it does not work without them. */
export const categories: readonly Category[] = [
  category('REQUEST-901-INITIALIZATION', 'Initialization', 'Sets up the rule set.', true),
  category('REQUEST-911-METHOD-ENFORCEMENT', 'Methods', 'Requests with methods that are not allowed.'),
  category('REQUEST-912-DOS-PROTECTION', 'Denial of service', 'Too many requests from one client.'),
  category('REQUEST-913-SCANNER-DETECTION', 'Scanners', 'Security scanners, scripts and robots.'),
  category('REQUEST-920-PROTOCOL-ENFORCEMENT', 'Protocol', 'Requests that break the rules of HTTP.'),
  category('REQUEST-921-PROTOCOL-ATTACK', 'Protocol attacks', 'Request smuggling, header injection, split responses.'),
  category('REQUEST-930-APPLICATION-ATTACK-LFI', 'Local files', 'Path traversal and inclusion of local files.'),
  category('REQUEST-931-APPLICATION-ATTACK-RFI', 'Remote files', 'Inclusion of remote files.'),
  category('REQUEST-932-APPLICATION-ATTACK-RCE', 'Commands', 'Execution of commands on the server.'),
  category('REQUEST-933-APPLICATION-ATTACK-PHP', 'PHP', 'Injection of PHP code.'),
  category('REQUEST-934-APPLICATION-ATTACK-NODEJS', 'Node.js', 'Injection of JavaScript code into the server.'),
  category('REQUEST-941-APPLICATION-ATTACK-XSS', 'Scripts in pages', 'Cross-site scripting.'),
  category('REQUEST-942-APPLICATION-ATTACK-SQLI', 'SQL', 'SQL injection.'),
  category('REQUEST-943-SESSION-FIXATION', 'Sessions', 'Session fixation.'),
  category('REQUEST-944-APPLICATION-ATTACK-JAVA', 'Java', 'Injection of Java code and objects.'),
  category('REQUEST-949-BLOCKING-EVALUATION', 'Evaluation of requests', 'Acts on what was found in a request.', true),
  category('RESPONSE-950-DATA-LEAKAGES', 'Leaks', 'Responses that reveal too much.'),
  category('RESPONSE-951-DATA-LEAKAGES-SQL', 'Database leaks', 'Database errors in responses.'),
  category('RESPONSE-952-DATA-LEAKAGES-JAVA', 'Java leaks', 'Java errors and source code in responses.'),
  category('RESPONSE-953-DATA-LEAKAGES-PHP', 'PHP leaks', 'PHP errors and source code in responses.'),
  category('RESPONSE-954-DATA-LEAKAGES-IIS', 'IIS leaks', 'IIS errors in responses.'),
  category(
    'RESPONSE-959-BLOCKING-EVALUATION',
    'Evaluation of responses',
    'Acts on what was found in a response.',
    true,
  ),
]

export const findCategory = (id: string): Category | undefined => categories.find((one) => one.id === id)
