/** How high a row is on a phone, for lists that draw only the rows in view: a name of two lines, its state below, a border. */
export const NARROW_ROW_PX = 69;
