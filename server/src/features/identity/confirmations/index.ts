/** Confirming addresses. */
export { addressTaken, confirmedAddresses, dropUnconfirmed, swapConfirmed } from './confirmations.queries.ts';
export { type Confirmations, createConfirmations } from './confirmations.service.ts';
