/* SPDX-License-Identifier: Apache-2.0 */
/* Fakes of functions that only return a value or do nothing, with the names of fff (the Fake
 * Function Framework). */
#pragma once

#define FAKE_VALUE_FUNC(type, name, parameters, value)                                             \
	type name parameters                                                                       \
	{                                                                                          \
		return value;                                                                      \
	}

#define FAKE_VOID_FUNC(name, parameters)                                                           \
	void name parameters                                                                       \
	{                                                                                          \
	}
