// What others may use of security events: what the thread of the log has to know to read them.

export { applicationNames, channelNames, signatureTable } from './knowledge.ts'
