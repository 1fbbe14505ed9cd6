// What applyd, the program that takes a package, and gatewayd say alike.

export const notAPackage =
  'This gateway was not installed as a package, so it cannot install updates. Update the folder that it was started from.'
