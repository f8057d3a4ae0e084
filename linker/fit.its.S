/* SPDX-License-Identifier: Apache-2.0 */
/* A FIT: the image as U-Boot boots Linux, with the board's device tree. Macros: boards/images.mk */
/dts-v1/;

/ {
	description = "hypbench";
	#address-cells = <1>;

	images {
		kernel {
			description = BOARD;
			data = /incbin/("hypbench.bin");
			type = "kernel";
			arch = UBOOT_ARCH;
			os = "linux";
			compression = "none";
			load = <HYP_BASE>;
			entry = <HYP_BASE>;

			hash {
				algo = "crc32";
			};
		};

		fdt {
			description = TREE;
			data = /incbin/(TREE);
			type = "flat_dt";
			arch = UBOOT_ARCH;
			compression = "none";

			hash {
				algo = "crc32";
			};
		};
	};

	configurations {
		default = "conf";

		conf {
			description = BOARD;
			kernel = "kernel";
			fdt = "fdt";
		};
	};
};
