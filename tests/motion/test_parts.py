import re

import numpy as np
import pytest

from randori.errors import BodyPartError
from randori.motion.parts import (
    MIDDLE_PARTS,
    NEEDED,
    SIDE_PARTS,
    SIDES,
    find_parts,
    mirror_joints,
    missing_parts,
    part_options,
    split_name,
)
from randori.motion.skeleton import Skeleton

# Each convention: the trunk from the pelvis up to the head, each joint on the one before; what the joints
# of one side are called, arm then leg; and which of the trunk's joints are pelvis, spine, chest, neck, head.
# Extra joints (above the pelvis, between, beyond) are part of the game.
CONVENTIONS = {
    "CMU": {
        "trunk": "Hips, LowerBack, Spine, Spine1, Neck, Neck1, Head",
        "arm": "{Side}Shoulder, {Side}Arm, {Side}ForeArm, {Side}Hand, {Side}FingerBase, {Side}HandIndex1",
        "leg": "{S}HipJoint, {Side}UpLeg, {Side}Leg, {Side}Foot, {Side}ToeBase",
        "middle": "Hips, Spine, Spine1, Neck, Head",
    },
    "ACCAD": {
        "trunk": "Hips, ToSpine, Spine, Spine1, Neck, Head",
        "arm": "{Side}Shoulder, {Side}Arm, {Side}ForeArm, {Side}Hand",
        "leg": "{Side}UpLeg, {Side}Leg, {Side}Foot, {Side}ToeBase",
        "middle": "Hips, Spine, Spine1, Neck, Head",
    },
    "Mixamo": {
        "prefix": "mixamorig:",
        "trunk": "Hips, Spine, Spine1, Spine2, Neck, Head",
        "arm": "{Side}Shoulder, {Side}Arm, {Side}ForeArm, {Side}Hand, {Side}HandThumb1",
        "leg": "{Side}UpLeg, {Side}Leg, {Side}Foot, {Side}ToeBase, {Side}Toe_End",
        "middle": "Hips, Spine1, Spine2, Neck, Head",
    },
    "Mixamo in glTF": {
        "prefix": "mixamorig",
        "trunk": "Hips, Spine, Spine1, Neck, Head",
        "arm": "{Side}Shoulder, {Side}Arm, {Side}ForeArm, {Side}Hand",
        "leg": "{Side}UpLeg, {Side}Leg, {Side}Foot, {Side}ToeBase",
        "middle": "Hips, Spine, Spine1, Neck, Head",
    },
    "Biped": {
        "trunk": "Bip01, Bip01 Pelvis, Bip01 Spine, Bip01 Spine1, Bip01 Neck, Bip01 Head",
        "arm": "Bip01 {S} Clavicle, Bip01 {S} UpperArm, Bip01 {S} Forearm, Bip01 {S} Hand, Bip01 {S} Finger0",
        "leg": "Bip01 {S} Thigh, Bip01 {S} Calf, Bip01 {S} Foot, Bip01 {S} Toe0",
        "middle": "Bip01 Pelvis, Bip01 Spine, Bip01 Spine1, Bip01 Neck, Bip01 Head",
        "arms on": "Bip01 Neck",
    },
    "Valve": {
        "prefix": "ValveBiped.Bip01_",
        "trunk": "Pelvis, Spine, Neck1, Head",
        "arm": "{S}_Clavicle, {S}_UpperArm, {S}_Forearm, {S}_Hand",
        "leg": "{S}_Thigh, {S}_Calf, {S}_Foot, {S}_Toe0",
        "middle": "Pelvis, Spine, Spine, Neck1, Head",
    },
    "LAFAN1": {
        "trunk": "Hips, Spine, Spine1, Spine2, Neck, Head",
        "arm": "{Side}Shoulder, {Side}Arm, {Side}ForeArm, {Side}Hand",
        "leg": "{Side}UpLeg, {Side}Leg, {Side}Foot, {Side}Toe",
        "middle": "Hips, Spine1, Spine2, Neck, Head",
    },
    "Bandai-Namco": {
        "trunk": "joint_Root, Hips, Spine, Chest, Neck, Head",
        "arm": "Shoulder_{S}, UpperArm_{S}, LowerArm_{S}, Hand_{S}",
        "leg": "UpperLeg_{S}, LowerLeg_{S}, Foot_{S}, Toes_{S}",
        "middle": "Hips, Spine, Chest, Neck, Head",
    },
    "Vicon ASF": {
        "trunk": "root, lowerback, upperback, thorax, lowerneck, upperneck, head",
        "arm": "{s}clavicle, {s}humerus, {s}radius, {s}wrist, {s}hand, {s}fingers, {s}thumb",
        "leg": "{s}hipjoint, {s}femur, {s}tibia, {s}foot, {s}toes",
        "middle": "root, upperback, thorax, lowerneck, head",
    },
    "Unreal": {
        "trunk": "root, pelvis, spine_01, spine_02, spine_03, neck_01, head",
        "arm": "clavicle_{s}, upperarm_{s}, lowerarm_{s}, hand_{s}, thumb_01_{s}",
        "leg": "thigh_{s}, calf_{s}, foot_{s}, ball_{s}",
        "middle": "pelvis, spine_02, spine_03, neck_01, head",
    },
    "Blender": {
        "trunk": "hips, spine, chest, neck, head",
        "arm": "shoulder.{S}, upper_arm.{S}, forearm.{S}, hand.{S}, f_index.01.{S}",
        "leg": "thigh.{S}, shin.{S}, foot.{S}, toe.{S}",
        "middle": "hips, spine, chest, neck, head",
    },
    "Rigify": {
        "prefix": "DEF-",
        "trunk": "spine, spine.001, spine.002, spine.003, spine.004, spine.005, spine.006",
        "arm": "shoulder.{S}, upper_arm.{S}, forearm.{S}, hand.{S}",
        "leg": "thigh.{S}, shin.{S}, foot.{S}, toe.{S}",
        "middle": "spine, spine.002, spine.003, spine.004, spine.006",
    },
    "first BVH files": {
        "trunk": "Hips, Chest, Neck, Head",
        "arm": "{Side}Collar, {Side}Shoulder, {Side}Elbow, {Side}Wrist",
        "leg": "{Side}Hip, {Side}Knee, {Side}Ankle, {Side}Toe",
        "middle": "Hips, Chest, Chest, Neck, Head",
    },
    "SMPL": {
        "trunk": "Pelvis, Spine1, Spine2, Spine3, Neck, Head",
        "arm": "{S}_Collar, {S}_Shoulder, {S}_Elbow, {S}_Wrist, {S}_Hand",
        "leg": "{S}_Hip, {S}_Knee, {S}_Ankle, {S}_Foot",
        "middle": "Pelvis, Spine2, Spine3, Neck, Head",
    },
    "Daz": {
        "trunk": "hip, abdomen, chest, neck, head",
        "arm": "{s}Collar, {s}Shldr, {s}ForeArm, {s}Hand",
        "leg": "{s}Thigh, {s}Shin, {s}Foot, {s}Toe",
        "middle": "hip, abdomen, chest, neck, head",
    },
    "Daz Genesis 8": {
        "trunk": "hip, abdomenLower, abdomenUpper, chestLower, chestUpper, neckLower, neckUpper, head",
        "arm": "{s}Collar, {s}ShldrBend, {s}ShldrTwist, {s}ForearmBend, {s}ForearmTwist, {s}Hand, {s}Thumb1",
        "leg": "{s}Pelvis, {s}ThighBend, {s}ThighTwist, {s}Shin, {s}Foot, {s}Metatarsals, {s}Toe",
        "middle": "hip, abdomenUpper, chestUpper, neckLower, head",
        "arm parts": "{s}Collar, {s}ShldrBend, {s}ForearmBend, {s}Hand",
        "leg parts": "{s}ThighBend, {s}Shin, {s}Foot, {s}Toe",
    },
    "Daz Genesis 9": {
        "trunk": "hip, spine1, spine2, spine3, spine4, neck1, neck2, head",
        "arm": "{s}_shoulder, {s}_upperarm, {s}_forearm, {s}_hand, {s}_thumb1",
        "leg": "{s}_thigh, {s}_shin, {s}_foot, {s}_toes",
        "middle": "hip, spine2, spine4, neck1, head",
    },
    "MakeHuman": {
        "trunk": "root, spine05, spine04, spine03, spine02, spine01, neck01, neck02, neck03, head",
        "arm": "clavicle.{S}, shoulder01.{S}, upperarm01.{S}, upperarm02.{S}, lowerarm01.{S}, "
        "lowerarm02.{S}, wrist.{S}, finger1-1.{S}",
        "leg": "pelvis.{S}, upperleg01.{S}, upperleg02.{S}, lowerleg01.{S}, lowerleg02.{S}, foot.{S}, "
        "toe1-1.{S}",
        "middle": "root, spine03, spine01, neck01, head",
        "arm parts": "clavicle.{S}, upperarm01.{S}, lowerarm01.{S}, wrist.{S}",
        "leg parts": "upperleg01.{S}, lowerleg01.{S}, foot.{S}, toe1-1.{S}",
    },
    "MakeHuman, old": {
        "trunk": "Root, Spine1, Spine2, Spine3, Neck, Head",
        "arm": "__Clavicle_{S}, Clavicle_{S}, UpArm_{S}, LoArm_{S}, Hand_{S}, __Thumb1_{S}",
        "leg": "__UpLeg_{S}, UpLeg_{S}, LoLeg_{S}, Foot_{S}, Toe_{S}",
        "middle": "Root, Spine2, Spine3, Neck, Head",
        "arm parts": "Clavicle_{S}, UpArm_{S}, LoArm_{S}, Hand_{S}",
        "leg parts": "UpLeg_{S}, LoLeg_{S}, Foot_{S}, Toe_{S}",
    },
    "VRoid": {
        "trunk": "Root, J_Bip_C_Hips, J_Bip_C_Spine, J_Bip_C_Chest, J_Bip_C_UpperChest, J_Bip_C_Neck, "
        "J_Bip_C_Head",
        "arm": "J_Bip_{S}_Shoulder, J_Bip_{S}_UpperArm, J_Bip_{S}_LowerArm, J_Bip_{S}_Hand, J_Bip_{S}_Index1",
        "leg": "J_Bip_{S}_UpperLeg, J_Bip_{S}_LowerLeg, J_Bip_{S}_Foot, J_Bip_{S}_ToeBase",
        "middle": "J_Bip_C_Hips, J_Bip_C_Chest, J_Bip_C_UpperChest, J_Bip_C_Neck, J_Bip_C_Head",
    },
    "VRM": {
        "trunk": "hips, spine, chest, upperChest, neck, head",
        "arm": "{side}Shoulder, {side}UpperArm, {side}LowerArm, {side}Hand",
        "leg": "{side}UpperLeg, {side}LowerLeg, {side}Foot, {side}Toes",
        "middle": "hips, chest, upperChest, neck, head",
    },
    "Second Life": {
        "trunk": "mPelvis, mTorso, mChest, mNeck, mHead",
        "arm": "mCollar{Side}, mShoulder{Side}, mElbow{Side}, mWrist{Side}",
        "leg": "mHip{Side}, mKnee{Side}, mAnkle{Side}, mFoot{Side}",
        "middle": "mPelvis, mTorso, mChest, mNeck, mHead",
    },
    "GENEA": {
        "trunk": "body_world, b_root, b_spine0, b_spine1, b_spine2, b_spine3, b_neck0, b_head",
        "arm": "b_{s}_shoulder, b_{s}_arm, b_{s}_arm_twist, b_{s}_forearm, b_{s}_wrist_twist, b_{s}_wrist",
        "leg": "b_{s}_upleg, b_{s}_leg, b_{s}_foot_twist, b_{s}_foot",
        "middle": "b_root, b_spine1, b_spine3, b_neck0, b_head",
        "arm parts": "b_{s}_shoulder, b_{s}_arm, b_{s}_forearm, b_{s}_wrist",
        "leg parts": "b_{s}_upleg, b_{s}_leg, b_{s}_foot",
    },
    "DeepMotion": {
        "suffix": "_JNT",
        "trunk": "hips, spine, spine1, spine2, neck, head",
        "arm": "{s}_shoulder, {s}_arm, {s}_forearm, {s}_hand",
        "leg": "{s}_upleg, {s}_leg, {s}_foot, {s}_toebase",
        "middle": "hips, spine1, spine2, neck, head",
    },
    "MMD": {
        "trunk": "センター, 上半身, 上半身2, 首, 頭",
        "arm": "{zh}肩, {zh}腕, {zh}ひじ, {zh}手首, {zh}親指1",
        "leg": "{zh}足, {zh}ひざ, {zh}足首, {zh}つま先",
        "middle": "センター, 上半身, 上半身2, 首, 頭",
    },
    "MMD in English": {
        "trunk": "center, upper body, upper body2, neck, head",
        "arm": "shoulder_{S}, arm_{S}, elbow_{S}, wrist_{S}",
        "leg": "leg_{S}, knee_{S}, ankle_{S}, toe_{S}",
        "middle": "center, upper body, upper body2, neck, head",
    },
    "a prefix": {
        "prefix": "Model_",
        "trunk": "Hips, Spine, Spine1, Neck, Head",
        "arm": "{Side}Shoulder, {Side}Arm, {Side}ForeArm, {Side}Hand",
        "leg": "{Side}UpLeg, {Side}Leg, {Side}Foot, {Side}ToeBase",
        "middle": "Hips, Spine, Spine1, Neck, Head",
    },
    "a suffix": {
        "suffix": " #0",
        "trunk": "Hips, Spine, Spine1, Neck, Head",
        "arm": "{Side}Shoulder, {Side}Arm, {Side}ForeArm, {Side}Hand",
        "leg": "{Side}UpLeg, {Side}Leg, {Side}Foot, {Side}ToeBase",
        "middle": "Hips, Spine, Spine1, Neck, Head",
    },
    "Xsens": {
        "trunk": "Pelvis, L5, L3, T12, T8, Neck, Head",
        "arm": "{Side}Shoulder, {Side}UpperArm, {Side}ForeArm, {Side}Hand",
        "leg": "{Side}UpperLeg, {Side}LowerLeg, {Side}Foot, {Side}Toe",
        "middle": "Pelvis, L3, T8, Neck, Head",
    },
    "Xsens in BVH": {
        "trunk": "Hips, Chest, Chest2, Chest3, Chest4, Neck, Head",
        "arm": "{Side}Collar, {Side}Shoulder, {Side}Elbow, {Side}Wrist",
        "leg": "{Side}Hip, {Side}Knee, {Side}Ankle, {Side}Toe",
        "middle": "Hips, Chest2, Chest4, Neck, Head",
    },
    "Rokoko": {
        "trunk": "Hips, Spine, Spine1, Spine2, Spine3, Neck, Head",
        "arm": "{Side}Shoulder, {Side}Arm, {Side}ForeArm, {Side}Hand, {Side}HandEnd, {Side}HandThumb1",
        "leg": "{Side}UpLeg, {Side}Leg, {Side}Foot, {Side}ToeBase",
        "middle": "Hips, Spine1, Spine3, Neck, Head",
    },
    "OptiTrack": {
        "prefix": "Skeleton1_",
        "trunk": "Hip, Ab, Chest, Neck, Head",
        "arm": "{S}Shoulder, {S}UArm, {S}FArm, {S}Hand",
        "leg": "{S}Thigh, {S}Shin, {S}Foot, {S}Toe",
        "middle": "Hip, Ab, Chest, Neck, Head",
    },
    "ARKit": {
        "suffix": "_joint",
        "trunk": "root, hips, spine_1, spine_2, spine_3, spine_4, neck_1, neck_2, head",
        "arm": "{side}_shoulder_1, {side}_arm, {side}_forearm, {side}_hand",
        "leg": "{side}_upLeg, {side}_leg, {side}_foot, {side}_toes",
        "middle": "hips, spine_2, spine_4, neck_1, head",
    },
    "Azure Kinect": {
        "trunk": "PELVIS, SPINE_NAVEL, SPINE_CHEST, NECK, HEAD",
        "arm": "CLAVICLE_{SIDE}, SHOULDER_{SIDE}, ELBOW_{SIDE}, WRIST_{SIDE}, HAND_{SIDE}",
        "leg": "HIP_{SIDE}, KNEE_{SIDE}, ANKLE_{SIDE}, FOOT_{SIDE}",
        "middle": "PELVIS, SPINE_NAVEL, SPINE_CHEST, NECK, HEAD",
    },
    "Kinect 2": {
        "trunk": "SpineBase, SpineMid, SpineShoulder, Neck, Head",
        "arm": "Shoulder{Side}, Elbow{Side}, Wrist{Side}, Hand{Side}",
        "leg": "Hip{Side}, Knee{Side}, Ankle{Side}, Foot{Side}",
        "middle": "SpineBase, SpineMid, SpineShoulder, Neck, Head",
        "arm parts": ", Shoulder{Side}, Elbow{Side}, Wrist{Side}",
    },
    "Character Creator": {
        "prefix": "CC_Base_",
        "trunk": "BoneRoot, Hip, Waist, Spine01, Spine02, NeckTwist01, NeckTwist02, Head",
        "arm": "{S}_Clavicle, {S}_Upperarm, {S}_Forearm, {S}_Hand, {S}_Index1",
        "leg": "{S}_Thigh, {S}_Calf, {S}_Foot, {S}_ToeBase",
        "middle": "Hip, Spine01, Spine02, NeckTwist01, Head",
    },
    "Auto-Rig Pro": {
        "trunk": "root.x, spine_01.x, spine_02.x, neck.x, head.x",
        "arm": "shoulder.{s}, arm_stretch.{s}, forearm_stretch.{s}, hand.{s}",
        "leg": "thigh_stretch.{s}, leg_stretch.{s}, foot.{s}, toes_01.{s}",
        "middle": "root.x, spine_01.x, spine_02.x, neck.x, head.x",
    },
    "AdvancedSkeleton": {
        "trunk": "Root_M, Spine1_M, Chest_M, Neck_M, Head_M",
        "arm": "Scapula_{S}, Shoulder_{S}, Elbow_{S}, Wrist_{S}",
        "leg": "Hip_{S}, Knee_{S}, Ankle_{S}, Toes_{S}",
        "middle": "Root_M, Spine1_M, Chest_M, Neck_M, Head_M",
    },
    "KayKit": {
        "trunk": "root, hips, spine, chest, head",
        "arm": "upperarm.{s}, lowerarm.{s}, wrist.{s}, hand.{s}, handslot.{s}",
        "leg": "upperleg.{s}, lowerleg.{s}, foot.{s}, toes.{s}",
        "middle": "hips, spine, chest, , head",
        "arm parts": ", upperarm.{s}, lowerarm.{s}, wrist.{s}",
    },
    "Roblox": {
        "trunk": "HumanoidRootPart, LowerTorso, UpperTorso, Head",
        "arm": "{Side}UpperArm, {Side}LowerArm, {Side}Hand",
        "leg": "{Side}UpperLeg, {Side}LowerLeg, {Side}Foot",
        "middle": "LowerTorso, UpperTorso, UpperTorso, , Head",
        "arm parts": ", {Side}UpperArm, {Side}LowerArm, {Side}Hand",
    },
    "video2bvh": {
        "trunk": "Hips, LowerBack, Spine, Spine1, Neck, Neck1",
        "arm": "{Side}Shoulder, {Side}Arm, {Side}ForeArm, {Side}Hand",
        "leg": "{Side}HipJoint, {Side}UpLeg, {Side}Leg, {Side}Foot",
        "middle": "Hips, Spine, Spine1, Neck, Neck1",
        "leg parts": "{Side}UpLeg, {Side}Leg, {Side}Foot",
    },
    "Sketchfab": {
        "numbered": "yes",
        "trunk": "mixamorig:Hips, mixamorig:Spine, mixamorig:Spine1, mixamorig:Neck, mixamorig:Head",
        "arm": "mixamorig:{Side}Shoulder, mixamorig:{Side}Arm, mixamorig:{Side}ForeArm, mixamorig:{Side}Hand",
        "leg": "mixamorig:{Side}UpLeg, mixamorig:{Side}Leg, mixamorig:{Side}Foot, mixamorig:{Side}ToeBase",
        "middle": "mixamorig:Hips, mixamorig:Spine, mixamorig:Spine1, mixamorig:Neck, mixamorig:Head",
    },
    "Mixamo, a second character": {
        "prefix": "mixamorig1:",
        "trunk": "Hips, Spine, Spine1, Spine2, Neck, Head, HeadTop_End",
        "arm": "{Side}Shoulder, {Side}Arm, {Side}ForeArm, {Side}Hand, {Side}HandThumb1",
        "leg": "{Side}UpLeg, {Side}Leg, {Side}Foot, {Side}ToeBase, {Side}Toe_End",
        "middle": "Hips, Spine1, Spine2, Neck, Head",
    },
    "Ready Player Me": {
        "trunk": "Armature, Hips, Spine, Spine1, Spine2, Neck, Head, HeadTop_End",
        "arm": "{Side}Shoulder, {Side}Arm, {Side}ForeArm, {Side}Hand, {Side}HandThumb1",
        "leg": "{Side}UpLeg, {Side}Leg, {Side}Foot, {Side}ToeBase, {Side}Toe_End",
        "middle": "Hips, Spine1, Spine2, Neck, Head",
    },
    "Unreal 5": {
        "trunk": "root, pelvis, spine_01, spine_02, spine_03, spine_04, spine_05, neck_01, neck_02, head",
        "arm": "clavicle_{s}, upperarm_{s}, lowerarm_{s}, hand_{s}, index_metacarpal_{s}",
        "leg": "thigh_{s}, calf_{s}, foot_{s}, ball_{s}",
        "middle": "pelvis, spine_03, spine_05, neck_01, head",
    },
    "Biped of a later Max": {
        "trunk": "Bip001, Bip001 Pelvis, Bip001 Spine, Bip001 Spine1, Bip001 Neck, Bip001 Head",
        "arm": "Bip001 {S} Clavicle, Bip001 {S} UpperArm, Bip001 {S} Forearm, Bip001 {S} Hand",
        "leg": "Bip001 {S} Thigh, Bip001 {S} Calf, Bip001 {S} Foot, Bip001 {S} Toe0",
        "middle": "Bip001 Pelvis, Bip001 Spine, Bip001 Spine1, Bip001 Neck, Bip001 Head",
        "arms on": "Bip001 Neck",
    },
    "Perception Neuron": {
        "prefix": "Robot_",
        "trunk": "Hips, Spine, Spine1, Spine2, Spine3, Neck, Head",
        "arm": "{Side}Shoulder, {Side}Arm, {Side}ForeArm, {Side}Hand, {Side}InHandIndex",
        "leg": "{Side}UpLeg, {Side}Leg, {Side}Foot",
        "middle": "Hips, Spine1, Spine3, Neck, Head",
    },
    "Noitom": {
        "trunk": "Hips, Spine, Spine1, Spine2, Neck, Neck1, Head",
        "arm": "{Side}Shoulder, {Side}Arm, {Side}ForeArm, {Side}Hand, {Side}HandMiddle",
        "leg": "{Side}UpLeg, {Side}Leg, {Side}Foot",
        "middle": "Hips, Spine1, Spine2, Neck, Head",
    },
    "HumanIK": {
        "prefix": "Character1_",
        "trunk": "Reference, Hips, Spine, Spine1, Neck, Head",
        "arm": "{Side}Shoulder, {Side}Arm, {Side}ForeArm, {Side}Hand, {Side}HandIndex1",
        "leg": "{Side}UpLeg, {Side}Leg, {Side}Foot, {Side}ToeBase",
        "middle": "Hips, Spine, Spine1, Neck, Head",
    },
    "Unity": {
        "trunk": "Hips, Spine, Chest, UpperChest, Neck, Head",
        "arm": "{Side}Shoulder, {Side}UpperArm, {Side}LowerArm, {Side}Hand",
        "leg": "{Side}UpperLeg, {Side}LowerLeg, {Side}Foot, {Side}Toes",
        "middle": "Hips, Chest, UpperChest, Neck, Head",
    },
    "Unity, spaced": {
        "trunk": "Hips, Spine, Chest, Neck, Head",
        "arm": "{Side} Shoulder, {Side} Upper Arm, {Side} Lower Arm, {Side} Hand",
        "leg": "{Side} Upper Leg, {Side} Lower Leg, {Side} Foot, {Side} Toes",
        "middle": "Hips, Spine, Chest, Neck, Head",
    },
    "Rigify with segments": {
        "prefix": "DEF-",
        "trunk": "spine, spine.001, spine.002, spine.003, spine.004, spine.005, spine.006",
        "arm": "shoulder.{S}, upper_arm.{S}, upper_arm.{S}.001, forearm.{S}, forearm.{S}.001, hand.{S}",
        "leg": "thigh.{S}, thigh.{S}.001, shin.{S}, shin.{S}.001, foot.{S}, toe.{S}",
        "middle": "spine, spine.002, spine.003, spine.004, spine.006",
        "arm parts": "shoulder.{S}, upper_arm.{S}, forearm.{S}, hand.{S}",
        "leg parts": "thigh.{S}, shin.{S}, foot.{S}, toe.{S}",
    },
    "a name space": {
        "prefix": "Fighter_02:",
        "trunk": "Hips, Spine, Spine1, Spine2, Neck, Head",
        "arm": "{Side}Shoulder, {Side}Arm, {Side}ForeArm, {Side}Hand",
        "leg": "{Side}UpLeg, {Side}Leg, {Side}Foot, {Side}ToeBase",
        "middle": "Hips, Spine1, Spine2, Neck, Head",
    },
    "mocopi": {
        "trunk": "root, torso_1, torso_2, torso_3, torso_4, torso_5, torso_6, torso_7, neck_1, neck_2, head",
        "arm": "{s}_shoulder, {s}_up_arm, {s}_low_arm, {s}_hand",
        "leg": "{s}_up_leg, {s}_low_leg, {s}_foot, {s}_toes",
        "middle": "root, torso_4, torso_7, neck_1, head",
    },
    "Cascadeur": {
        "trunk": "pelvis, stomach, chest, neck, head",
        "arm": "clavicle_{s}, arm_{s}, forearm_{s}, hand_{s}",
        "leg": "thigh_{s}, calf_{s}, foot_{s}, toe_{s}",
        "middle": "pelvis, stomach, chest, neck, head",
    },
    "Valve with its whole spine": {
        "prefix": "ValveBiped.Bip01_",
        "trunk": "Pelvis, Spine, Spine1, Spine2, Spine4, Neck1, Head1",
        "arm": "{S}_Clavicle, {S}_UpperArm, {S}_Forearm, {S}_Hand, {S}_Finger0",
        "leg": "{S}_Thigh, {S}_Calf, {S}_Foot, {S}_Toe0",
        "middle": "Pelvis, Spine1, Spine4, Neck1, Head1",
    },
    "CAT in 3ds Max": {
        "prefix": "CATRig",
        "trunk": "Pelvis, Spine1, Spine2, Spine3, Ribcage, Neck, Head",
        "arm": "{S}Collarbone, {S}UpperArm, {S}Forearm, {S}Palm, {S}Digit11",
        "leg": "{S}Thigh, {S}Calf, {S}Ankle, {S}Toe",
        "middle": "Pelvis, Spine2, Ribcage, Neck, Head",
    },
    "MetaHuman": {
        "trunk": "root, pelvis, spine_01, spine_02, spine_03, spine_04, spine_05, neck_01, neck_02, head",
        "arm": "clavicle_{s}, upperarm_{s}, lowerarm_{s}, hand_{s}, middle_metacarpal_{s}, middle_01_{s}",
        "leg": "thigh_{s}, calf_{s}, foot_{s}, ball_{s}, bigtoe_01_{s}",
        "middle": "pelvis, spine_03, spine_05, neck_01, head",
    },
    "Plask": {
        "trunk": "hips, spine, spine1, spine2, neck, head",
        "arm": "{side}Shoulder, {side}Arm, {side}ForeArm, {side}Hand, {side}HandIndex1",
        "leg": "{side}UpLeg, {side}Leg, {side}Foot, {side}ToeBase",
        "middle": "hips, spine1, spine2, neck, head",
    },
    "Kinect 1": {
        "trunk": "HipCenter, Spine, ShoulderCenter, Head",
        "arm": "Shoulder{Side}, Elbow{Side}, Wrist{Side}, Hand{Side}",
        "leg": "Hip{Side}, Knee{Side}, Ankle{Side}, Foot{Side}",
        "middle": "HipCenter, Spine, ShoulderCenter, , Head",
        "arm parts": ", Shoulder{Side}, Elbow{Side}, Wrist{Side}",
    },
    "OpenNI": {
        "trunk": "TORSO, WAIST, NECK, HEAD",
        "arm": "{SIDE}_COLLAR, {SIDE}_SHOULDER, {SIDE}_ELBOW, {SIDE}_WRIST, {SIDE}_HAND",
        "leg": "{SIDE}_HIP, {SIDE}_KNEE, {SIDE}_ANKLE, {SIDE}_FOOT",
        "middle": "TORSO, WAIST, WAIST, NECK, HEAD",
    },
    "SMPL-X": {
        "trunk": "root, pelvis, spine1, spine2, spine3, neck, head, jaw",
        "arm": "{side}_collar, {side}_shoulder, {side}_elbow, {side}_wrist, {side}_index1",
        "leg": "{side}_hip, {side}_knee, {side}_ankle, {side}_foot",
        "middle": "pelvis, spine2, spine3, neck, head",
    },
    "SMPL in Unity": {
        "prefix": "f_avg_",
        "trunk": "root, Pelvis, Spine1, Spine2, Spine3, Neck, Head",
        "arm": "{S}_Collar, {S}_Shoulder, {S}_Elbow, {S}_Wrist, {S}_Hand",
        "leg": "{S}_Hip, {S}_Knee, {S}_Ankle, {S}_Foot",
        "middle": "Pelvis, Spine2, Spine3, Neck, Head",
    },
    "100STYLE": {
        "trunk": "Hips, Chest, Chest2, Chest3, Chest4, Neck, Head",
        "arm": "{Side}Collar, {Side}Shoulder, {Side}Elbow, {Side}Wrist",
        "leg": "{Side}Hip, {Side}Knee, {Side}Ankle, {Side}Toe",
        "middle": "Hips, Chest2, Chest4, Neck, Head",
    },
    "Rigify, originals": {
        "prefix": "ORG-",
        "trunk": "spine, spine.001, spine.002, spine.003, spine.004, spine.005, spine.006",
        "arm": "shoulder.{S}, upper_arm.{S}, forearm.{S}, hand.{S}, palm.01.{S}",
        "leg": "thigh.{S}, shin.{S}, foot.{S}, toe.{S}",
        "middle": "spine, spine.002, spine.003, spine.004, spine.006",
    },
    "Meta-Rig": {
        "trunk": "spine, spine.001, spine.002, spine.003, spine.004, spine.005, spine.006",
        "arm": "shoulder.{S}, upper_arm.{S}, forearm.{S}, hand.{S}, palm.01.{S}, f_index.01.{S}",
        "leg": "pelvis.{S}, thigh.{S}, shin.{S}, foot.{S}, toe.{S}",
        "middle": "spine, spine.002, spine.003, spine.004, spine.006",
        "leg parts": "thigh.{S}, shin.{S}, foot.{S}, toe.{S}",
    },
    "Second Life Bento": {
        "trunk": "mPelvis, mSpine1, mSpine2, mTorso, mSpine3, mSpine4, mChest, mNeck, mHead, mSkull",
        "arm": "mCollar{Side}, mShoulder{Side}, mElbow{Side}, mWrist{Side}, mHandMiddle1{Side}",
        "leg": "mHip{Side}, mKnee{Side}, mAnkle{Side}, mFoot{Side}, mToe{Side}",
        "middle": "mPelvis, mTorso, mChest, mNeck, mHead",
        "leg parts": "mHip{Side}, mKnee{Side}, mAnkle{Side}, mToe{Side}",
    },
    "Second Life, BVH": {
        "trunk": "hip, abdomen, chest, neck, head, figureHair",
        "arm": "{s}Collar, {s}Shldr, {s}ForeArm, {s}Hand",
        "leg": "{s}Thigh, {s}Shin, {s}Foot",
        "middle": "hip, abdomen, chest, neck, head",
    },
    "XNALara": {
        "trunk": "root ground, root hips, spine lower, spine upper, head neck lower, head neck upper",
        "arm": "arm {side} shoulder 1, arm {side} shoulder 2, arm {side} elbow, arm {side} wrist, "
        "arm {side} finger 1a",
        "leg": "leg {side} thigh, leg {side} knee, leg {side} ankle, leg {side} toes",
        "middle": "root hips, spine lower, spine upper, head neck lower, head neck upper",
        "arm parts": "arm {side} shoulder 1, arm {side} shoulder 2, arm {side} elbow, arm {side} wrist",
    },
    "Quake 3 / Doom 3": {
        "trunk": "origin, Body, Hips, Waist, Chest, Neck, Head",
        "arm": "{S}shoulder, {S}upArm, {S}loarm, {S}hand",
        "leg": "{S}upleg, {S}loleg, {S}ankle, {S}toe",
        "middle": "Hips, Waist, Chest, Neck, Head",
    },
    "MMD, all of it": {
        "trunk": "全ての親, センター, グルーブ, 腰, 上半身, 上半身2, 首, 頭",
        "arm": "{zh}肩, {zh}腕, {zh}腕捩, {zh}ひじ, {zh}手捩, {zh}手首, {zh}中指１",
        "leg": "{zh}足, {zh}ひざ, {zh}足首, {zh}つま先",
        "middle": "腰, 上半身, 上半身2, 首, 頭",
        "arm parts": "{zh}肩, {zh}腕, {zh}ひじ, {zh}手首",
    },
    "Chinese": {
        "trunk": "根骨骼, 骨盆, 脊椎, 脊椎1, 胸部, 颈部, 头部",
        "arm": "{zh}锁骨, {zh}上臂, {zh}前臂, {zh}手",
        "leg": "{zh}大腿, {zh}小腿, {zh}脚, {zh}脚趾",
        "middle": "骨盆, 脊椎1, 胸部, 颈部, 头部",
    },
    "Spanish": {
        "trunk": "cadera, columna, pecho, cuello, cabeza",
        "arm": "clavicula_{spanish}, brazo_{spanish}, antebrazo_{spanish}, mano_{spanish}",
        "leg": "muslo_{spanish}, pantorrilla_{spanish}, pie_{spanish}, dedos_{spanish}",
        "middle": "cadera, columna, pecho, cuello, cabeza",
    },
    "German": {
        "trunk": "Becken, Wirbelsaeule, Brust, Hals, Kopf",
        "arm": "Schluesselbein_{S}, Oberarm_{S}, Unterarm_{S}, Hand_{S}",
        "leg": "Oberschenkel_{S}, Unterschenkel_{S}, Fuss_{S}, Zehen_{S}",
        "middle": "Becken, Wirbelsaeule, Brust, Hals, Kopf",
    },
    "French": {
        "trunk": "bassin, colonne, poitrine, cou, tete",
        "arm": "clavicule.{french}, bras.{french}, avant_bras.{french}, main.{french}",
        "leg": "cuisse.{french}, mollet.{french}, pied.{french}, orteils.{french}",
        "middle": "bassin, colonne, poitrine, cou, tete",
    },
    "Qualisys": {
        "prefix": "Q_",
        "trunk": "Hips, Spine, Spine1, Spine2, Neck, Head",
        "arm": "{Side}Shoulder, {Side}Arm, {Side}ForeArm, {Side}ForeArmRoll, {Side}Hand",
        "leg": "{Side}UpLeg, {Side}Leg, {Side}Foot, {Side}ToeBase",
        "middle": "Hips, Spine1, Spine2, Neck, Head",
        "arm parts": "{Side}Shoulder, {Side}Arm, {Side}ForeArm, {Side}Hand",
    },
    "HumanIK with rolls": {
        "trunk": "Hips, Spine, Spine1, Spine2, Spine3, Neck, Neck1, Head",
        "arm": "{Side}Shoulder, {Side}Arm, {Side}ArmRoll, {Side}ForeArm, {Side}ForeArmRoll, {Side}Hand, "
        "{Side}HandMiddle1",
        "leg": "{Side}UpLeg, {Side}UpLegRoll, {Side}Leg, {Side}LegRoll, {Side}Foot, {Side}ToeBase",
        "middle": "Hips, Spine1, Spine3, Neck, Head",
        "arm parts": "{Side}Shoulder, {Side}Arm, {Side}ForeArm, {Side}Hand",
        "leg parts": "{Side}UpLeg, {Side}Leg, {Side}Foot, {Side}ToeBase",
    },
    "iClone 3DXchange": {
        "prefix": "RL_",
        "trunk": "BoneRoot, Hip, Waist, Spine01, Spine02, NeckTwist01, NeckTwist02, Head",
        "arm": "{S}_Clavicle, {S}_Upperarm, {S}_UpperarmTwist01, {S}_Forearm, {S}_ForearmTwist01, "
        "{S}_Hand, {S}_Mid1",
        "leg": "{S}_Thigh, {S}_ThighTwist01, {S}_Calf, {S}_CalfTwist01, {S}_Foot, {S}_ToeBase",
        "middle": "Hip, Spine01, Spine02, NeckTwist01, Head",
        "arm parts": "{S}_Clavicle, {S}_Upperarm, {S}_Forearm, {S}_Hand",
        "leg parts": "{S}_Thigh, {S}_Calf, {S}_Foot, {S}_ToeBase",
    },
    "Auto-Rig Pro, exported": {
        "trunk": "root_ref.x, spine_01_ref.x, spine_02_ref.x, neck_ref.x, head_ref.x",
        "arm": "shoulder_ref.{s}, arm_ref.{s}, forearm_ref.{s}, hand_ref.{s}",
        "leg": "thigh_ref.{s}, leg_ref.{s}, foot_ref.{s}, toes_ref.{s}",
        "middle": "root_ref.x, spine_01_ref.x, spine_02_ref.x, neck_ref.x, head_ref.x",
    },
    "Quaternius": {
        "trunk": "Bone, Body, Hips, Abdomen, Torso, Neck, Head",
        "arm": "Shoulder.{S}, UpperArm.{S}, LowerArm.{S}, Palm.{S}",
        "leg": "UpperLeg.{S}, LowerLeg.{S}, Foot.{S}",
        "middle": "Hips, Abdomen, Torso, Neck, Head",
    },
    "Synty": {
        "trunk": "Root, Hips, Spine_01, Spine_02, Spine_03, Neck, Head",
        "arm": "Clavicle_{S}, Shoulder_{S}, Elbow_{S}, Hand_{S}, IndexFinger_01_{S}",
        "leg": "UpperLeg_{S}, LowerLeg_{S}, Ankle_{S}, Ball_{S}, Toes_{S}",
        "middle": "Hips, Spine_02, Spine_03, Neck, Head",
        "leg parts": "UpperLeg_{S}, LowerLeg_{S}, Ankle_{S}, Ball_{S}",
    },
    "Truebones": {
        "prefix": "BN_",
        "trunk": "Hips, Spine, Spine1, Neck, Head",
        "arm": "{S}_Shoulder, {S}_UpperArm, {S}_Forearm, {S}_Hand",
        "leg": "{S}_Thigh, {S}_Calf, {S}_Foot, {S}_Toe",
        "middle": "Hips, Spine, Spine1, Neck, Head",
    },
    "Maya, by hand": {
        "trunk": "root_jnt, cog_jnt, spine_01_jnt, spine_02_jnt, spine_03_jnt, neck_jnt, head_jnt",
        "arm": "{s}_clav_jnt, {s}_upArm_jnt, {s}_loArm_jnt, {s}_wrist_jnt",
        "leg": "{s}_upLeg_jnt, {s}_loLeg_jnt, {s}_ankle_jnt, {s}_ball_jnt, {s}_toe_jnt",
        "middle": "cog_jnt, spine_02_jnt, spine_03_jnt, neck_jnt, head_jnt",
        "leg parts": "{s}_upLeg_jnt, {s}_loLeg_jnt, {s}_ankle_jnt, {s}_ball_jnt",
    },
    "Maya, side in the middle": {
        "trunk": "C_pelvis_0_JNT, C_spine_0_JNT, C_spine_1_JNT, C_chest_0_JNT, C_neck_0_JNT, C_head_0_JNT",
        "arm": "{S}_clavicle_0_JNT, {S}_shoulder_0_JNT, {S}_elbow_0_JNT, {S}_wrist_0_JNT",
        "leg": "{S}_hip_0_JNT, {S}_knee_0_JNT, {S}_ankle_0_JNT, {S}_ball_0_JNT",
        "middle": "C_pelvis_0_JNT, C_spine_1_JNT, C_chest_0_JNT, C_neck_0_JNT, C_head_0_JNT",
    },
    "Lt and Rt": {
        "trunk": "hips, spine, chest, neck, head",
        "arm": "{Lt}_clavicle, {Lt}_upperarm, {Lt}_forearm, {Lt}_hand",
        "leg": "{Lt}_thigh, {Lt}_shin, {Lt}_foot, {Lt}_toe",
        "middle": "hips, spine, chest, neck, head",
    },
    "Lf and Rt": {
        "trunk": "hips, spine, chest, neck, head",
        "arm": "Clavicle{Lf}, UpperArm{Lf}, ForeArm{Lf}, Hand{Lf}",
        "leg": "Thigh{Lf}, Shin{Lf}, Foot{Lf}, Toe{Lf}",
        "middle": "hips, spine, chest, neck, head",
    },
    "trailing letters": {
        "trunk": "Pelvis, Spine, Chest, Neck, Head",
        "arm": "Clavicle{S}, UpperArm{S}, LowerArm{S}, Hand{S}",
        "leg": "UpperLeg{S}, LowerLeg{S}, Foot{S}, Toe{S}",
        "middle": "Pelvis, Spine, Chest, Neck, Head",
    },
    "OpenPose joints": {
        "trunk": "MidHip, Neck, Head",
        "arm": "{S}Shoulder, {S}Elbow, {S}Wrist",
        "leg": "{S}Hip, {S}Knee, {S}Ankle, {S}BigToe",
        "middle": "MidHip, , , Neck, Head",
        "arms on": "Neck",
        "arm parts": ", {S}Shoulder, {S}Elbow, {S}Wrist",
        "leg parts": "{S}Hip, {S}Knee, {S}Ankle, {S}BigToe",
    },
    "Human3.6M": {
        "trunk": "Hip, Spine, Thorax, Neck/Nose, Head",
        "arm": "{S}Shoulder, {S}Elbow, {S}Wrist",
        "leg": "{S}Hip, {S}Knee, {S}Foot",
        "middle": "Hip, Spine, Thorax, Neck/Nose, Head",
        "arm parts": ", {S}Shoulder, {S}Elbow, {S}Wrist",
    },
    "AMASS numbers": {
        "trunk": "m_avg_root, m_avg_Pelvis, m_avg_Spine1, m_avg_Spine2, m_avg_Spine3, m_avg_Neck, m_avg_Head",
        "arm": "m_avg_{S}_Collar, m_avg_{S}_Shoulder, m_avg_{S}_Elbow, m_avg_{S}_Wrist, m_avg_{S}_Hand",
        "leg": "m_avg_{S}_Hip, m_avg_{S}_Knee, m_avg_{S}_Ankle, m_avg_{S}_Foot",
        "middle": "m_avg_Pelvis, m_avg_Spine2, m_avg_Spine3, m_avg_Neck, m_avg_Head",
    },
    "Poser": {
        "trunk": "BODY, Hip, Abdomen, Chest, Neck, Head",
        "arm": "{Side} Collar, {Side} Shoulder, {Side} Forearm, {Side} Hand",
        "leg": "{Side} Thigh, {Side} Shin, {Side} Foot, {Side} Toe",
        "middle": "Hip, Abdomen, Chest, Neck, Head",
    },
    "Mixamo in Blender": {
        "prefix": "Armature|mixamorig:",
        "trunk": "Hips, Spine, Spine1, Spine2, Neck, Head, HeadTop_End",
        "arm": "{Side}Shoulder, {Side}Arm, {Side}ForeArm, {Side}Hand, {Side}HandThumb1",
        "leg": "{Side}UpLeg, {Side}Leg, {Side}Foot, {Side}ToeBase, {Side}Toe_End",
        "middle": "Hips, Spine1, Spine2, Neck, Head",
    },
    "Unreal, FBX in Blender": {
        "suffix": ".001",
        "trunk": "root, pelvis, spine_01, spine_02, spine_03, neck_01, head",
        "arm": "clavicle_{s}, upperarm_{s}, lowerarm_{s}, hand_{s}, thumb_01_{s}",
        "leg": "thigh_{s}, calf_{s}, foot_{s}, ball_{s}",
        "middle": "pelvis, spine_02, spine_03, neck_01, head",
    },
    "Humanoid in caps": {
        "trunk": "HIPS, SPINE, CHEST, NECK, HEAD",
        "arm": "{SIDE}SHOULDER, {SIDE}ARM, {SIDE}FOREARM, {SIDE}HAND",
        "leg": "{SIDE}UPLEG, {SIDE}LEG, {SIDE}FOOT, {SIDE}TOEBASE",
        "middle": "HIPS, SPINE, CHEST, NECK, HEAD",
    },
}
# what the side is called where it is no English word or letter
SIDE_WORDS = {
    "left": {"zh": "左", "spanish": "izq", "french": "G", "Lt": "Lt", "Lf": "Lf"},
    "right": {"zh": "右", "spanish": "der", "french": "D", "Lt": "Rt", "Lf": "Rt"},
}
# where the joints of a limb stand in its list, other than from the start
FIRST_OF_LEG = {"CMU": 1, "Vicon ASF": 1}


def listed(convention: str, row: str, side: str = "") -> list[str]:
    """The names in a row of the table, for one side of the body."""
    rows = CONVENTIONS[convention]
    words = {
        "Side": side.capitalize(),
        "SIDE": side.upper(),
        "side": side,
        "S": side[:1].upper(),
        "s": side[:1],
        **SIDE_WORDS.get(side, {}),
    }
    bare = rows[row].format(**words)
    prefix, suffix = rows.get("prefix", ""), rows.get("suffix", "")
    return [name and f"{prefix}{name}{suffix}" for name in bare.split(", ")]


def build(convention: str) -> tuple[list[str], np.ndarray, dict[str, str]]:
    """Joint names, parents, and the part → name that is expected."""
    rows = CONVENTIONS[convention]
    trunk = listed(convention, "trunk")
    names, parents = list(trunk), list(range(-1, len(trunk) - 1))
    expected = dict(zip(MIDDLE_PARTS, listed(convention, "middle")))
    arms_on = trunk.index(rows.get("arms on", expected["chest"]))
    for side in SIDES:
        for limb, above in (("arm", arms_on), ("leg", trunk.index(expected["pelvis"]))):
            for number, name in enumerate(listed(convention, limb, side)):
                parents.append(above if number == 0 else len(names) - 1)
                names.append(name)
        first = FIRST_OF_LEG.get(convention, 0)
        arm = listed(convention, "arm parts" if "arm parts" in rows else "arm", side)
        leg = listed(convention, "leg parts" if "leg parts" in rows else "leg", side)[first:]
        expected |= {f"{side}_{part}": name for part, name in zip(SIDE_PARTS, arm[:4] + leg[:4])}
    expected = {part: name for part, name in expected.items() if name}
    if "numbered" in rows:
        numbered = {name: f"{name}_{number:02}" for number, name in enumerate(names)}
        names = list(numbered.values())
        expected = {part: numbered[name] for part, name in expected.items()}
    return names, np.array(parents), expected


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_the_parts_of_every_convention_are_found(convention: str):
    names, parents, expected = build(convention)
    found = {part: names[joint] for part, joint in find_parts(names, parents).items()}
    assert found == expected
    assert not missing_parts(find_parts(names, parents))


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_every_joint_of_a_side_has_its_twin(convention: str):
    names, parents, _ = build(convention)
    twins = mirror_joints(names, find_parts(names, parents))
    trunk = len(listed(convention, "trunk"))
    half = (len(names) - trunk) // 2
    left, right = np.arange(trunk, trunk + half), np.arange(trunk + half, len(names))
    assert twins.tolist() == [*range(trunk), *right, *left]


@pytest.mark.parametrize(
    ("name", "side", "word"),
    [
        ("LowerBack", "", "lowerback"),
        ("lowerback", "", "lowerback"),
        ("root", "", "root"),
        ("Ribs", "", "ribs"),
        ("LThumb", "left", "thumb"),
        ("rhand", "right", "hand"),
        ("Character1_RightForeArm", "right", "forearm"),
        ("upperarm_twist_01_l", "left", "upperarmtwist1"),
        ("Bip001 R Calf", "right", "calf"),
        ("spine_03", "", "spine3"),
    ],
)
def test_names_are_taken_apart(name: str, side: str, word: str):
    assert split_name(name) == (side, word)


# Centimetres of the parts of a body in a T, on the left; joints between them lie between.
PLACES = {
    "pelvis": (0, 0, 0), "spine": (0, 15, 0), "chest": (0, 35, -2), "neck": (0, 52, -2), "head": (0, 62, 0),
    "shoulder": (4, 45, 0), "upper_arm": (18, 47, 0), "forearm": (45, 47, -1), "hand": (70, 47, 0),
    "thigh": (10, -4, 0), "shin": (10, -46, 1), "foot": (10, -86, -2), "toes": (10, -92, 10),
}  # fmt: skip


def places(names: list[str], parents: np.ndarray, expected: dict[str, str]) -> np.ndarray:
    """(J, 3) centimetres of all joints of a convention in a T."""
    found = np.full((len(names), 3), np.nan)
    for part, name in expected.items():
        place = np.array(PLACES[part.removeprefix("left_").removeprefix("right_")])
        found[names.index(name)] = place * [-1 if part.startswith("right_") else 1, 1, 1]
    for joint, parent in enumerate(parents.tolist()):
        if not np.isnan(found[joint]).any():
            continue
        steps, line = 1, joint  # to the next joint below that is known
        while np.isnan(found[line]).any() and line in parents:
            line, steps = int(np.flatnonzero(parents == line)[0]), steps + 1
        if np.isnan(found[line]).any():  # a finger, the end of a toe
            bone = found[parent] - found[parents[parent]]
            found[joint] = found[parent] + 4.0 * bone / max(float(np.linalg.norm(bone)), 1.0)
        elif parent < 0:
            found[joint] = found[line]
        else:
            found[joint] = found[parent] + (found[line] - found[parent]) / steps
    return found


def offsets_of(found: np.ndarray, parents: np.ndarray) -> np.ndarray:
    return np.where(parents[:, None] < 0, found, found - found[parents])


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_a_body_without_names_is_known_by_its_shape(convention: str):
    """Numbers for names: two legs, two arms and a trunk are there, and toes show where left is."""
    names, parents, expected = build(convention)
    numbered = [f"joint{number}" for number in range(len(names))]
    offsets = offsets_of(places(names, parents, expected), parents)
    found = find_parts(numbered, parents, offsets=offsets)
    for part in NEEDED:
        if part.startswith(("left", "right")) and "left_toes" in expected:
            assert names[found[part]] == expected[part], part
    if "left_toes" not in expected:
        assert "left_thigh" not in found  # nothing tells one side from the other


def test_knees_show_the_sides_of_a_body_without_names_and_toes():
    names, parents, expected = build("Human3.6M")
    numbered = [f"joint{number}" for number in range(len(names))]
    stands = places(names, parents, expected)
    bent = stands.copy()
    for side in SIDES:
        bent[names.index(expected[f"{side}_shin"]), 2] += 12.0  # knees go forward
    turned = bent[:, [2, 1, 0]] * [1, 1, -1]
    for pose in (bent, turned):
        found = find_parts(numbered, parents, offsets=offsets_of(stands, parents), seen=pose[None])
        assert {part: names[found[part]] for part in NEEDED} == {part: expected[part] for part in NEEDED}


def test_a_limb_of_numbered_joints_is_known_by_its_bones():
    """GoldSrc calls the collar bone Arm, the upper arm Arm1 and the forearm Arm2."""
    names, parents, expected = build("Valve")
    word = {"Clavicle": "Arm", "UpperArm": "Arm1", "Forearm": "Arm2"}
    offsets = offsets_of(places(names, parents, expected), parents)
    told = [re.sub(r"Clavicle|UpperArm|Forearm", lambda match: word[match.group()], name) for name in names]
    found = find_parts(told, parents, offsets=offsets)
    for part in NEEDED:
        assert names[found[part]] == expected[part], part


def test_missing_parts_become_options_to_paste():
    names, parents, _ = build("LAFAN1")
    names[names.index("LeftHand")] = "LeftHandRig"
    names[names.index("LeftFoot")] = "Left Paw"
    parts = find_parts(names, parents)
    parts.pop("left_foot", None)
    parts.pop("left_hand", None)
    assert part_options(names, parts) == "--part left_hand=LeftHandRig --part left_foot=JOINT"


def test_an_override_wins_and_must_name_a_joint():
    names, parents, _ = build("LAFAN1")
    assert names[find_parts(names, parents, {"head": "Neck"})["head"]] == "Neck"
    with pytest.raises(BodyPartError, match="there is no joint 'Nose'; the joints are Hips"):
        find_parts(names, parents, {"head": "Nose"})
    with pytest.raises(BodyPartError, match="no body part 'tail'; the parts are pelvis"):
        find_parts(names, parents, {"tail": "Hips"})


def test_a_part_that_is_not_there_is_named_with_the_candidates():
    names = ("Hips", "Box")
    parents = np.array([-1, 0])
    parts = find_parts(names, parents)
    assert set(missing_parts(parts)) == set(NEEDED) - {"pelvis"}
    skeleton = Skeleton(names, parents, np.zeros((2, 3)), np.zeros((2, 3)), parts)
    with pytest.raises(BodyPartError, match=r"left thigh.*The joints are: Hips, Box"):
        skeleton.joint("left_thigh")


def test_a_sword_in_a_hand_is_found():
    names, parents, _ = build("Unreal")
    names.append("weapon_r")
    assert names[find_parts(names, np.append(parents, names.index("hand_r")))["weapon"]] == "weapon_r"
