// Every constant of the NB-IoT model that a specification fixes, with its source. What an operator
// chooses is in config.hpp; what is neither is marked there as an assumption.
#pragma once

#include <array>
#include <cstdint>

namespace nbiot::spec {

// ---- Transport blocks: TS 36.213 ----

// N_SF of the downlink (table 16.4.1.3-1) and N_RU of the uplink (table 16.5.1.1-2).
inline constexpr std::array<int, 8> kResourceCounts{1, 2, 3, 4, 5, 6, 8, 10};
// Repetitions of NPDSCH (table 16.4.1.3-2), as far as one block stays below 2.6 s, and of NPUSCH
// (table 16.5.1.1-3).
inline constexpr std::array<int, 10> kDownlinkRepetitions{1, 2, 4, 8, 16, 32, 64, 128, 192, 256};
inline constexpr std::array<int, 8> kUplinkRepetitions{1, 2, 4, 8, 16, 32, 64, 128};
inline constexpr int kTbsRows = 13;
// Transport block sizes in bits, category NB1 (Release 13); 0 = not allowed. Table 16.4.1.5.1-1.
inline constexpr int kDownlinkTbs[kTbsRows][8] = {
    {16, 32, 56, 88, 120, 152, 208, 256},    {24, 56, 88, 144, 176, 208, 256, 344},
    {32, 72, 144, 176, 208, 256, 328, 424},  {40, 104, 176, 208, 256, 328, 440, 568},
    {56, 120, 208, 256, 328, 408, 552, 680}, {72, 144, 224, 328, 424, 504, 680, 0},
    {88, 176, 256, 392, 504, 600, 0, 0},     {104, 224, 328, 472, 584, 680, 0, 0},
    {120, 256, 392, 536, 680, 0, 0, 0},      {136, 296, 456, 616, 0, 0, 0, 0},
    {144, 328, 504, 680, 0, 0, 0, 0},        {176, 376, 584, 0, 0, 0, 0, 0},
    {208, 440, 680, 0, 0, 0, 0, 0}};
// Table 16.5.1.2-2.
inline constexpr int kUplinkTbs[kTbsRows][8] = {
    {16, 32, 56, 88, 120, 152, 208, 256},     {24, 56, 88, 144, 176, 208, 256, 344},
    {32, 72, 144, 176, 208, 256, 328, 424},   {40, 104, 176, 208, 256, 328, 440, 568},
    {56, 120, 208, 256, 328, 408, 552, 680},  {72, 144, 224, 328, 424, 504, 680, 872},
    {88, 176, 256, 392, 504, 600, 808, 1000}, {104, 224, 328, 472, 584, 712, 1000, 0},
    {120, 256, 392, 536, 680, 808, 0, 0},     {136, 296, 456, 616, 776, 936, 0, 0},
    {144, 328, 504, 680, 872, 1000, 0, 0},    {176, 376, 584, 776, 1000, 0, 0, 0},
    {208, 440, 680, 1000, 0, 0, 0, 0}};
inline constexpr int kTransportBlockCrcBits = 24; // TS 36.212 6.3.2 and 6.4.2
// Single-tone modulation and coding (table 16.5.1.2-1): bits per symbol and I_TBS of I_MCS.
struct SingleToneMcs {
    int bits_per_symbol;
    int i_tbs;
};
inline constexpr std::array<SingleToneMcs, 11> kSingleToneMcs{
    {{1, 0}, {1, 2}, {2, 1}, {2, 3}, {2, 4}, {2, 5}, {2, 6}, {2, 7}, {2, 8}, {2, 9}, {2, 10}}};

// ---- Physical resources: TS 36.211 ----

inline constexpr int kTones = 12;       // 15 kHz tones of one carrier, 10.1.2.1 and 10.2.2.1
inline constexpr double kToneHz = 15e3; // 10.1.2.1
inline constexpr double kPreambleToneHz = 3750; // 10.1.6
// Resource unit of NPUSCH format 1, 15 kHz (table 10.1.2.3-1): duration for 1, 3, 6, 12 tones.
inline constexpr std::array<int, 4> kToneCounts{1, 3, 6, 12};
inline constexpr std::array<int, 4> kResourceUnitMs{8, 4, 2, 1};
// Data symbols in a tone's millisecond: 2 slots of 7 symbols, 1 of them reference (10.1.4).
inline constexpr int kUplinkSymbolsPerToneMs = 12;
inline constexpr int kUplinkPilotsPerToneMs = 2;
// NPUSCH format 2 (HARQ acknowledgement): 4 slots on one tone (table 10.1.2.3-1).
inline constexpr int kAckResourceUnitMs = 2;
// Stand-alone downlink subframe with two antenna ports: 12 x 14 resource elements less 16 of the
// narrowband reference signal (10.2.6), 8 for each port.
inline constexpr int kDownlinkSymbolsPerMs = 152;
inline constexpr int kDownlinkPilotsPerPortMs = 8;
inline constexpr int kDownlinkPorts = 2;
// With two ports the reference signal has twice the power of the data (TS 36.213 16.2.2).
inline constexpr double kReferenceBoost = 2;
// Preamble format 0: 4 symbol groups of 1.4 ms (10.1.6.1, table 10.1.6.1-1).
inline constexpr double kPreambleRepetitionMs = 5.6;
inline constexpr int kSymbolGroups = 4;
inline constexpr int kSymbolsPerGroup = 5;
inline constexpr int kPreambleTonesPerTone = 4; // 3.75 kHz tones in 15 kHz

// ---- Timing: TS 36.213 ----

inline constexpr std::array<int, 4> kUplinkGrantDelayMs{8, 16, 32, 64}; // table 16.5.1-1
inline constexpr std::array<int, 4> kMsg3DelayMs{12, 16, 32, 64};       // table 16.3.3-1
inline constexpr int kDownlinkGap = 5;                                  // 16.4.1
inline constexpr std::array<int, 8> kDownlinkDelaySmall{0, 4, 8, 12, 16, 32, 64, 128}; // 16.4.1-1,
inline constexpr std::array<int, 8> kDownlinkDelayLarge{0,   16,  32,  64,
                                                        128, 256, 512, 1024}; // R_max >= 128
inline constexpr std::array<int, 4> kAckDelayMs{13, 15, 17, 18}; // table 16.4.2-2, 15 kHz
inline constexpr int kAckTones = 4;                              // table 16.4.2-2, tones 0 to 3
// No NPDCCH reception in the 3 subframes after an NPUSCH transmission (16.6).
inline constexpr int kMonitorGapMs = 3;
// TS 36.211 6.2.5, half duplex type B: one subframe to turn between receiving and sending.
inline constexpr int kTurnaroundMs = 1;
// DCI formats N0 and N1: 23 bits and a 16-bit CRC (TS 36.212 6.4.3).
inline constexpr int kDciBits = 23 + 16;
// Random access window begins 4 subframes after the preamble, 41 from 64 repetitions on
// (TS 36.321 5.1.4).
inline constexpr int kResponseWindowDelayMs = 4;
inline constexpr int kResponseWindowDelayLongMs = 41;
inline constexpr int kMsg3Bits = 88; // table 16.3.3-1

// ---- Broadcast subframes of the anchor carrier: TS 36.211 10.2.4 to 10.2.7, TS 36.213 16.4.1.3
// ----

inline constexpr int kBroadcastPeriodMs = 2560;
inline constexpr int kNpbchSubframe = 0;
inline constexpr int kSib1Subframe = 4;
inline constexpr int kNpssSubframe = 5;
inline constexpr int kNsssSubframe = 9; // in even frames

// ---- Headers in bytes ----

inline constexpr int kMacSubheaderBytes = 2; // TS 36.321 6.1.2, with a 7-bit length
inline constexpr int kMacBsrBytes = 2;       // short BSR with its subheader, 6.1.3.1
inline constexpr int kContentionIdBytes = 7; // contention resolution element, 6.1.3.4
inline constexpr int kRarEntryBytes = 7;     // subheader and MAC RAR of NB-IoT, 6.1.5
inline constexpr int kRlcHeaderBytes = 2;    // AMD PDU, 10-bit SN, TS 36.322 6.2.1.4
inline constexpr int kRlcStatusBytes = 2;    // STATUS PDU without NACK, TS 36.322 6.2.1.6
inline constexpr int kPdcpHeaderBytes = 1;   // 7-bit SN, TS 36.323 6.2.4
inline constexpr int kPdcpMacIBytes = 4;     // integrity of signalling, TS 36.323 6.3.4
inline constexpr int kUdpHeaderBytes = 8;    // RFC 768
inline constexpr int kTcpHeaderBytes = 20;   // RFC 9293 3.1
inline constexpr int kTcpMssOptionBytes = 4; // RFC 9293 3.2, in SYN segments
inline constexpr int kTcpFastOpenBytes = 12; // cookie of 8 and padding, RFC 7413 4.1.1

// ---- Radio: power, noise, limits ----

inline constexpr double kThermalNoiseDbmHz = -174.0;
inline constexpr double kMinimumCouplingLossDb = 70.0; // TR 36.942 4.5.1
inline constexpr double kMinimumDistanceM = 35.0;      // TR 36.814 table A.2.1.1-1
// Missed acknowledgement on NPUSCH format 2: TS 36.104 8.5.2.
inline constexpr double kAckMissProbability = 0.01;
// Length over which the receivers average their channel estimate: TS 36.104 annex A.16, note 1.
inline constexpr int kChannelEstimationMs = 4;
// Share of the pilots in that window that an estimator uses. With it the model beats the three
// requirements of TS 36.104 table 8.5.1.1.1-1 (1, 16 and 64 repetitions) by 1.0, 2.4 and 3.6 dB,
// about the implementation margin in such tables; with all pilots it would be 5.6 dB at the lowest
// ratio.
inline constexpr double kPilotEfficiency = 0.375;
// TS 36.104 8.5.3: preambles detected with a false alarm of 0.1 %.
inline constexpr double kFalseAlarmQuantile = 3.0902;
// From the detector of link.cc to the requirement of TS 36.141 table 8.5.3.5-1 (format 0, 8
// repetitions, EPA 1 Hz, 6.7 dB, 99 %), which also asks for the time of arrival.
inline constexpr double kPreambleLossDb = 4.0;

// ---- Energy: method of TR 45.820 5.4; the values were not checked against its text, and others
// that go back to it differ by up to 13 % (docs/nbiot.md) ----

inline constexpr double kAmplifierEfficiency = 0.45;
inline constexpr double kTransmitOverheadMw = 60.0;
inline constexpr double kReceiveMw = 80.0;
inline constexpr double kLightSleepMw = 3.0;

} // namespace nbiot::spec
