/* SPDX-License-Identifier: Apache-2.0 */
/* Registers of the PL011, 16 bits wide at most (DDI 0183 3.2), and their fields. */
#pragma once

#define UARTDR 0x000u
#define UARTRSR 0x004u
#define UARTFR 0x018u
#define UARTILPR 0x020u
#define UARTIBRD 0x024u
#define UARTFBRD 0x028u
#define UARTLCR_H 0x02cu
#define UARTCR 0x030u
#define UARTIFLS 0x034u
#define UARTIMSC 0x038u
#define UARTRIS 0x03cu
#define UARTMIS 0x040u
#define UARTICR 0x044u
#define UARTDMACR 0x048u
#define UARTPERIPHID0 0xfe0u

#define UARTFR_CTS (1u << 0)
#define UARTFR_DSR (1u << 1)
#define UARTFR_DCD (1u << 2)
#define UARTFR_BUSY (1u << 3)
#define UARTFR_RXFE (1u << 4)
#define UARTFR_TXFF (1u << 5)
#define UARTFR_RXFF (1u << 6)
#define UARTFR_TXFE (1u << 7)
#define UARTLCR_H_FEN (1u << 4)
#define UARTLCR_H_WLEN_8 (3u << 5)
#define UARTCR_UARTEN (1u << 0)
#define UARTCR_TXE (1u << 8)
#define UARTCR_RXE (1u << 9)
#define UARTIFLS_RX(ifls) ((unsigned)(ifls) >> 3 & 7u)

/* Bits of UARTIMSC, UARTRIS, UARTMIS and UARTICR */
#define UARTINT_RX (1u << 4)
#define UARTINT_TX (1u << 5)
#define UARTINT_RT (1u << 6) /* receive timeout: fewer bytes than the FIFO's level */
#define UARTINT_ALL 0x7ffu
