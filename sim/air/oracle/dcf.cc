// Saturation throughput of 802.11 DCF by ns-3, as an independent oracle for the cell.
//   dcf PHY STATIONS SECONDS [GROUPS [SEED]]      prints PHY,STATIONS,Mb/s of IP packets of 1500
//   bytes
// Stations are assigned to the groups in turn; stations of two groups do not hear each other.
// Written for Debian's ns-3 3.37; see dcf.sh.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/mobility-module.h"
#include "ns3/network-module.h"
#include "ns3/wifi-module.h"

using namespace ns3;

namespace {

constexpr uint32_t kPacketBytes = 1500;
constexpr double kLossDb = 66; // -50 dBm at the receiver
constexpr double kHiddenDb = 300;
std::uint64_t received = 0;
bool counting = false;

void on_receive(Ptr<Socket> socket) {
    while (Ptr<Packet> packet = socket->Recv())
        if (counting)
            received += packet->GetSize();
}

void begin() {
    counting = true;
}

struct Phy {
    WifiStandard standard;
    const char *data, *control;
};

Phy phy_of(const std::string &name) {
    if (name == "b1")
        return {WIFI_STANDARD_80211b, "DsssRate1Mbps", "DsssRate1Mbps"};
    if (name == "b11")
        return {WIFI_STANDARD_80211b, "DsssRate11Mbps", "DsssRate2Mbps"};
    if (name == "g6")
        return {WIFI_STANDARD_80211g, "ErpOfdmRate6Mbps", "ErpOfdmRate6Mbps"};
    if (name == "g24")
        return {WIFI_STANDARD_80211g, "ErpOfdmRate24Mbps", "ErpOfdmRate24Mbps"};
    if (name == "g54")
        return {WIFI_STANDARD_80211g, "ErpOfdmRate54Mbps", "ErpOfdmRate24Mbps"};
    std::fprintf(stderr, "dcf: no such PHY: %s; use b1, b11, g6, g24 or g54\n", name.c_str());
    std::exit(2);
}

// Packets straight into the MAC, without IP: a source that refills its station's queue.
void pump(Ptr<Socket> socket, Time interval) {
    socket->Send(Create<Packet>(kPacketBytes));
    Simulator::Schedule(interval, &pump, socket, interval);
}

} // namespace

int main(int argc, char **argv) {
    if (argc < 4) {
        std::fprintf(stderr, "usage: dcf PHY STATIONS SECONDS [GROUPS [SEED]]\n");
        return 2;
    }
    const std::string name = argv[1];
    const auto stations = static_cast<uint32_t>(std::atoi(argv[2]));
    const double seconds = std::atof(argv[3]);
    const uint32_t groups = argc > 4 ? static_cast<uint32_t>(std::atoi(argv[4])) : 1;
    RngSeedManager::SetSeed(argc > 5 ? static_cast<uint32_t>(std::atoi(argv[5])) : 1);
    const Phy choice = phy_of(name);
    Config::SetDefault("ns3::WifiRemoteStationManager::MaxSlrc", UintegerValue(8)); // attempts
    Config::SetDefault("ns3::WifiRemoteStationManager::MaxSsrc", UintegerValue(8));
    Config::SetDefault("ns3::WifiRemoteStationManager::RtsCtsThreshold", UintegerValue(100000));
    Config::SetDefault("ns3::WifiMacQueue::MaxSize", StringValue("50p"));

    NodeContainer access_point(1), nodes(stations);
    Ptr<YansWifiChannel> channel = CreateObject<YansWifiChannel>();
    channel->SetPropagationDelayModel(CreateObject<ConstantSpeedPropagationDelayModel>());
    Ptr<MatrixPropagationLossModel> loss = CreateObject<MatrixPropagationLossModel>();
    loss->SetDefaultLoss(kLossDb);
    channel->SetPropagationLossModel(loss);
    YansWifiPhyHelper phy;
    phy.SetChannel(channel);
    phy.Set("ChannelSettings", StringValue("{1, 0, BAND_2_4GHZ, 0}"));
    WifiHelper wifi;
    wifi.SetStandard(choice.standard);
    wifi.SetRemoteStationManager("ns3::ConstantRateWifiManager", "DataMode",
                                 StringValue(choice.data), "ControlMode",
                                 StringValue(choice.control));
    WifiMacHelper mac; // without beacons and management traffic, and without EDCA
    mac.SetType("ns3::AdhocWifiMac", "QosSupported", BooleanValue(false));
    const NetDeviceContainer sink_device = wifi.Install(phy, mac, access_point);
    const NetDeviceContainer devices = wifi.Install(phy, mac, nodes);
    if (choice.standard ==
        WIFI_STANDARD_80211g) // short slots, which ns-3 keeps for infrastructure mode
        Config::Set("/NodeList/*/DeviceList/*/$ns3::WifiNetDevice/Phy/Slot",
                    TimeValue(MicroSeconds(9)));
    MobilityHelper mobility; // all at the same place: the loss determines who hears whom
    mobility.SetMobilityModel("ns3::ConstantPositionMobilityModel");
    mobility.Install(access_point);
    mobility.Install(nodes);
    for (uint32_t i = 0; i < stations; ++i)
        for (uint32_t j = 0; j < i; ++j)
            if (i % groups != j % groups)
                loss->SetLoss(nodes.Get(i)->GetObject<MobilityModel>(),
                              nodes.Get(j)->GetObject<MobilityModel>(), kHiddenDb);
    PacketSocketHelper packets;
    packets.Install(access_point);
    packets.Install(nodes);

    const TypeId type = TypeId::LookupByName("ns3::PacketSocketFactory");
    PacketSocketAddress here;
    here.SetSingleDevice(sink_device.Get(0)->GetIfIndex());
    here.SetProtocol(1);
    Ptr<Socket> sink = Socket::CreateSocket(access_point.Get(0), type);
    sink->Bind(here);
    sink->SetRecvCallback(MakeCallback(&on_receive));
    const Time interval = Seconds(kPacketBytes * 8 / 36e6 / 1.0);
    for (uint32_t i = 0; i < stations; ++i) {
        PacketSocketAddress there;
        there.SetSingleDevice(devices.Get(i)->GetIfIndex());
        there.SetPhysicalAddress(sink_device.Get(0)->GetAddress());
        there.SetProtocol(1);
        Ptr<Socket> source = Socket::CreateSocket(nodes.Get(i), type);
        source->Bind();
        source->Connect(there);
        const Time slow =
            name[0] == 'b' && name[1] == '1' && name.size() == 2 ? Seconds(0.012) : interval;
        Simulator::Schedule(MicroSeconds(137 * i + 1), &pump, source, slow);
    }
    Simulator::Schedule(Seconds(1), &begin);
    Simulator::Stop(Seconds(1 + seconds));
    Simulator::Run();
    std::printf("%s,%u,%.6f\n", name.c_str(), stations,
                static_cast<double>(8 * received) / seconds * 1e-6);
    Simulator::Destroy();
    return 0;
}
