export const languages = ['python', 'javascript', 'typescript', 'bash'] as const;
export type Language = (typeof languages)[number];
