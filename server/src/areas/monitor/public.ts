// What others may use of monitoring: its settings, and what the firewall does for SNMP and the monitoring agent.

export { agentServices, guardedSnmp, snmpServices } from './agents.ts'
export { agentSettings, applicationDetection, snmpSettings, snmpState } from './config.ts'
