export type ContractPage = never
